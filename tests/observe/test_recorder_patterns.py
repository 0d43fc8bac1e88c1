"""Ordinary hits are kept as numbers: which region, which graphs, told apart in all threads."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_compilecheck.observe.recording.recorder import Recorder


class PlainTorch:
    """No stance was set and no entry is nested."""

    def stance(self) -> str:
        return "default"

    def open_entries(self) -> int:
        return 0


def hit(entry: Callable[[], Callable[[], None]], *graphs: Callable[[], Any]) -> None:
    """A call in which nothing is compiled."""
    leave = entry()
    for graph in graphs:
        graph()
    leave()


_HITS = st.lists(st.tuples(st.integers(0, 1), st.lists(st.integers(0, 2), min_size=1, max_size=3)))


@given(hits=_HITS)
def test_each_hit_has_its_own_region_and_graphs(hits: list[tuple[int, list[int]]]) -> None:
    recorder = Recorder(PlainTorch())
    entries = [recorder.region_entry(created_before=False) for _ in range(2)]
    graphs = [recorder.launch_counter(lambda: None) for _ in range(3)]
    for region, launched in hits:
        hit(entries[region], *(graphs[number] for number in launched))
    calls = recorder.calls()
    assert [(call.region.number, list(call.launched)) for call in calls] == hits


def test_threads_that_run_different_graphs_of_one_region_stay_apart() -> None:
    recorder = Recorder(PlainTorch())
    entry = recorder.region_entry(created_before=False)
    graphs = [recorder.launch_counter(lambda: None) for _ in range(4)]
    start = threading.Barrier(4)

    def work(number: int) -> None:
        start.wait()
        for times in range(300):
            hit(entry, *[graphs[number]] * (1 + times % 5))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    launched = [call.launched for call in recorder.calls()]
    assert all(len(set(graphs_run)) == 1 for graphs_run in launched)
    for number in range(4):
        of_thread = [len(graphs_run) for graphs_run in launched if graphs_run[0] == number]
        assert of_thread == [1 + times % 5 for times in range(300)]


def test_a_graph_run_outside_any_call_belongs_to_none() -> None:
    recorder = Recorder(PlainTorch())
    entry = recorder.region_entry(created_before=False)
    graph = recorder.launch_counter(lambda: None)
    hit(entry, graph)
    graph()
    hit(entry, graph, graph)
    assert [call.launched for call in recorder.calls()] == [(0,), (0, 0)]


@pytest.fixture
def hasty_threads() -> Iterator[None]:
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("hasty_threads")
def test_calls_may_be_read_while_another_thread_makes_some() -> None:
    recorder = Recorder(PlainTorch())
    entry = recorder.region_entry(created_before=False)

    def work() -> None:
        for _ in range(100):  # new graphs all the time, as a model that recompiles has them
            graph = recorder.launch_counter(lambda: None)
            for _ in range(20):
                hit(entry, graph)

    thread = threading.Thread(target=work)
    thread.start()
    while thread.is_alive():
        seen = recorder.calls()
        assert [call.launched for call in seen] == [(i // 20,) for i in range(len(seen))]
    thread.join()
    assert len(recorder.calls()) == 2000
