"""Every program of known truth, in one process in a shuffled order, and each in a fresh process."""

from __future__ import annotations

import multiprocessing
import random
from importlib.util import find_spec
from multiprocessing.connection import Connection
from multiprocessing.context import BaseContext

import pytest

from cases.harness import TRUTH, differences, observe
from cases.releases import changed_by_release
from pytest_compilecheck.observe.values.observation import Observation

# The programs are written as users write them, warnings of torch included.
pytestmark = pytest.mark.filterwarnings("ignore")


def _case(name: str) -> object:
    missing = not _installed(TRUTH[name])
    reason = "transformers is not installed"
    return pytest.param(name, marks=[pytest.mark.skipif(missing, reason=reason)])


def _installed(entry: dict[str, object]) -> bool:
    return all(find_spec(package) for package in entry.get("requires", ()))  # type: ignore[union-attr]


_SHUFFLED = random.Random(20).sample(sorted(TRUTH), k=len(TRUTH))


@pytest.mark.parametrize("name", [_case(name) for name in _SHUFFLED])
def test_in_one_process(name: str) -> None:
    assert differences(name, observe(name), changed_by_release(name)) == []


def _observe_in_child(name: str, answer: Connection) -> None:
    answer.send(observe(name).to_dict())


@pytest.fixture(scope="module")
def fresh() -> BaseContext:
    """Makes processes that have imported torch and compiled nothing yet."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["torch", "torch._dynamo.convert_frame"])
    return context


@pytest.mark.parametrize("name", [_case(name) for name in sorted(TRUTH)])
def test_in_a_fresh_process(name: str, fresh: BaseContext) -> None:
    receiver, sender = fresh.Pipe(duplex=False)
    process = fresh.Process(target=_observe_in_child, args=(name, sender))  # type: ignore[attr-defined]
    process.start()
    sender.close()
    seen = Observation.from_dict(receiver.recv())
    process.join()
    assert differences(name, seen, changed_by_release(name)) == []
