"""Several threads in compiled code at once: nothing is lost, nothing goes to another's call."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import torch
from observe.driven import Driver
from observe.facts import TORCH
from observe.training import Counting, kinds, watched

from pytest_compilecheck.observe.guards.explain import Explainer
from pytest_compilecheck.observe.recording.conversion import Reason
from pytest_compilecheck.observe.values.cures import GUARDS_HOLD_NOW, cure

ROUNDS = 5


@pytest.fixture(autouse=True)
def _setting_kept() -> Iterator[None]:
    """A region with `dynamic=False` changes a setting of the process: by threads, 2.8 for good."""
    setting = "automatic_dynamic_shapes"
    with torch._dynamo.config.patch(setting, getattr(torch._dynamo.config, setting)):
        yield


def at_once(work: Callable[[int], object], count: int = 4) -> None:
    """Run the work in threads that begin together."""
    start = threading.Barrier(count)

    def begin(number: int) -> None:
        start.wait()
        work(number)

    with ThreadPoolExecutor(count) as pool:
        list(pool.map(begin, range(count)))


class Slow(Counting):
    """A backend during which other threads run."""

    def __call__(self, module: torch.fx.GraphModule, inputs: Any) -> Callable[..., Any]:
        time.sleep(0.02)
        return super().__call__(module, inputs)


def test_sizes_of_four_threads_are_compiled_in_calls_of_their_own() -> None:
    backend = Slow()
    doubled = torch.compile(lambda x: x * 2, backend=backend, dynamic=False)

    def work(number: int) -> None:
        for _ in range(ROUNDS):
            assert doubled(torch.ones(number + 2)).sum() == 2 * (number + 2)

    seen = watched(lambda: at_once(work))
    assert seen.graphs == backend.graphs == 4
    assert [entry.graph_launches for entry in seen.timeline] == [1] * 4 * ROUNDS
    assert [entry.call for entry in seen.timeline] == list(range(4 * ROUNDS))
    assert kinds(seen).split().count("hit") == 4 * (ROUNDS - 1)
    compiled = Counter(entry.sizes["x"] for entry in seen.timeline if entry.kind != "hit")
    assert compiled == {(2,): 1, (3,): 1, (4,): 1, (5,): 1}
    of_calls = {event.call for event in seen.recompile_events}
    assert of_calls == {entry.call for entry in seen.timeline if entry.kind == "recompile"}


def test_a_break_in_four_threads_is_one_site() -> None:
    backend = Slow()

    @torch.compile(backend=backend, dynamic=False)
    def broken(x: torch.Tensor) -> torch.Tensor:
        y = x + 1
        torch._dynamo.graph_break()
        return y * 2

    def work(number: int) -> None:
        for _ in range(ROUNDS):
            broken(torch.ones(number + 2))

    seen = watched(lambda: at_once(work))
    (site,) = seen.break_sites
    assert (site.events, sorted(site.event_calls)) == (4, sorted(set(site.event_calls)))
    assert seen.graphs == backend.graphs
    if TORCH != (2, 11):  # where one of the eight is sometimes not compiled, as its backend tells
        assert backend.graphs == 8
    assert [entry.graph_launches for entry in seen.timeline] == [2] * 4 * ROUNDS


def test_regions_of_four_threads_keep_their_names_and_graphs() -> None:
    regions = [
        torch.compile(torch.nn.Sequential(*[torch.nn.Linear(4, 4)] * (number + 1)), backend="eager")
        for number in range(4)
    ]

    def work(number: int) -> None:
        for _ in range(ROUNDS):
            regions[number](torch.ones(2, 4))

    seen = watched(lambda: at_once(work))
    of_region = Counter(entry.region for entry in seen.timeline)
    assert of_region == {f"Sequential #{number + 1}": ROUNDS for number in range(4)}
    assert (seen.graphs, kinds(seen).split().count("hit")) == (4, 4 * (ROUNDS - 1))


@pytest.mark.skipif(
    TORCH < (2, 12), reason="torch up to 2.11 itself raises where threads compile at once"
)
def test_backwards_of_four_threads_are_all_counted() -> None:
    from observe.training import CountingAot, model

    aot = CountingAot()
    call = torch.compile(model(), backend=aot.backend, dynamic=False)

    def work(number: int) -> None:
        for _ in range(2):
            call(torch.ones(number + 2, 8)).sum().backward()

    seen = watched(lambda: at_once(work))
    assert seen.graphs == aot.counts.forward
    assert seen.backward_graphs == aot.counts.backward


def test_a_race_of_threads_is_told_as_one() -> None:
    """torch's own text where it compiled again though another thread's graph fits by now."""
    explained = Explainer().of(type("Frame", (), {"f_code": at_once.__code__})())
    text = "Unexpected recompilation: runtime guards failed even though they passed during ..."
    explained.explain([Reason("0/0", text)])
    (change,) = explained.changes()
    assert (change.cause, change.source) == ("other", GUARDS_HOLD_NOW)
    assert "in one thread" in cure(change)


def test_a_backward_of_one_thread_is_not_the_rebuild_of_another() -> None:
    from observe.records import change

    driver = Driver()
    driver.recorder.backward_captured_anew(7, change())

    def other() -> None:
        driver.torch.backward = 7
        with driver.call():
            driver.compiles()()

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert driver.kinds() == ["compile"]
    driver.torch.backward = 7
    with driver.call():
        driver.compiles()()
    assert driver.kinds() == ["compile", "recompile"]
