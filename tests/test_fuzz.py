"""Some programs of the fuzzer, and that it finds faults; `docs/fuzzing.md` tells of long runs."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
import torch._dynamo.guards
from fuzz.program import draw
from fuzz.run import Outcome, run

PROGRAMS = 20
Fault = tuple[str, Any]
"""A name in the package, and what stands there instead."""


@pytest.fixture(autouse=True)
def fast(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Without torch's timing of new guards, 30 ms for each graph; nothing of it is counted."""
    if hasattr(torch._dynamo.guards, "profile_guard_manager"):
        monkeypatch.setattr(torch._dynamo.guards, "profile_guard_manager", lambda *_: 0.0)
    gc.disable()
    yield
    gc.enable()
    torch._dynamo.reset()


def test_a_program_is_the_same_each_time() -> None:
    assert draw(7, 3) == draw(7, 3)
    assert len({draw(7, index).source for index in range(50)}) == 50


def test_programs_are_seen_as_torch_tells_of_them(tmp_path: Path) -> None:
    outcomes = [run(draw(0, index), str(tmp_path)) for index in range(PROGRAMS)]
    assert {o.program.index: o.differences for o in outcomes if o.differences} == {}
    # They do what is to be counted.
    assert sum(len(o.told.sites) for o in outcomes) > PROGRAMS // 2
    assert sum(o.told.recompiles for o in outcomes) > PROGRAMS // 4
    assert {kind for o in outcomes for kind in o.told.kinds} >= {"compile", "recompile", "hit"}


def test_the_watch_changes_nothing(tmp_path: Path) -> None:
    for index in range(5):
        assert run(draw(0, index), str(tmp_path)).told == _bare(index, tmp_path)


def _bare(index: int, folder: Path) -> Any:
    return run(draw(0, index), str(folder), watched=False).told


def _first_difference(folder: Path) -> Outcome | None:
    outcomes = (run(draw(0, index), str(folder)) for index in range(PROGRAMS))
    return next((outcome for outcome in outcomes if outcome.differences), None)


@pytest.mark.parametrize(
    ("name", "instead", "field"),
    [
        ("assemble.count_recompiles", len, "recompiles"),
        ("break_sites._Site.takes", lambda *_: False, "break_sites"),
        ("recorder.Recorder.launch_counter", lambda _, graph, *__: graph, "launches"),
        ("recorder.Recorder.guards_missed", lambda _: None, "kinds"),
    ],
)
def test_a_fault_in_the_watch_is_found(
    name: str,
    instead: Callable[..., Any],
    field: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(f"pytest_compilecheck.observe.{name}", instead)
    found = _first_difference(tmp_path)
    assert found is not None
    assert field in found.differences
