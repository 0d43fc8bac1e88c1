from __future__ import annotations

import gc
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import torch
from torch._dynamo.eval_frame import _debug_get_cache_entry_list

from pytest_compilecheck import watch
from pytest_compilecheck.observe import torch_adapter
from pytest_compilecheck.observe.guards.explain import Explainer
from pytest_compilecheck.observe.watch import Watch

HERE = Path(__file__).parent


@pytest.fixture(autouse=True)
def cold() -> None:
    torch._dynamo.reset()


def double(x: torch.Tensor) -> torch.Tensor:
    return x * 2


def test_a_watch_is_used_once() -> None:
    seen = watch()
    with seen:
        pass
    with pytest.raises(RuntimeError, match=r"make a new one with watch\(\)"), seen:
        pass


def test_it_can_be_read_while_it_is_open() -> None:
    with watch() as seen:
        torch.compile(double, backend="eager")(torch.ones(3))
        assert [entry.kind for entry in seen.observation.timeline] == ["compile"]
        torch.compile(double, backend="eager")(torch.ones(3))
    assert [entry.kind for entry in seen.observation.timeline] == ["compile", "hit"]
    assert str(seen).startswith("2 calls (1 compile, 1 hit), 1 graph, 1 operation")


def test_what_cannot_be_read_is_a_problem_and_fails_no_compile(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(result: object, frame: object) -> None:
        raise ZeroDivisionError("a shape of torch that nobody knows")

    monkeypatch.setattr(torch_adapter, "outcome_of", broken)
    with watch() as seen:
        assert torch.compile(double, backend="eager")(torch.ones(3)).tolist() == [2, 2, 2]
    (problem,) = seen.observation.problems
    assert problem.startswith("how a frame was converted could not be read (ZeroDivisionError: ")


def test_a_frame_that_cannot_be_looked_at_is_compiled_and_told_of(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(explainer: Explainer, frame: object) -> None:
        raise ZeroDivisionError("a mode of torch that raises when it is asked for")

    monkeypatch.setattr(Explainer, "of", broken)
    with watch() as seen:
        assert torch.compile(double, backend="eager")(torch.ones(3)).tolist() == [2, 2, 2]
    problem = seen.observation.problems[0]
    assert problem.startswith("a frame that Dynamo converts could not be looked at (ZeroDivision")


def test_a_strict_export_is_no_call_and_no_doubt() -> None:
    with watch() as seen:
        compiled = torch.compile(torch.nn.ReLU(), backend="eager")
        compiled(torch.ones(3))
        torch.export.export(torch.nn.ReLU(), (torch.ones(3),), strict=True)
    assert [entry.kind for entry in seen.observation.timeline] == ["compile"]
    assert (seen.observation.graphs, seen.observation.problems) == (1, ())


def breaks(x: torch.Tensor) -> torch.Tensor:
    torch._dynamo.graph_break()
    return x + 1


def test_an_export_by_dynamo_is_no_call_and_no_doubt() -> None:
    with watch() as seen:
        compiled = torch.compile(torch.relu, backend="eager")
        compiled(torch.ones(3))
        torch._dynamo.export(double)(torch.ones(3))
        with pytest.raises(torch._dynamo.exc.Unsupported):
            torch._dynamo.export(breaks)(torch.ones(3))
    found = seen.observation
    assert [entry.kind for entry in found.timeline] == ["compile"]
    assert (found.graphs, found.break_sites, found.problems) == (1, (), ())


@dataclass
class Stamped:
    at: float = field(default_factory=lambda: float(torch.ones(1).sum().item()))


def stamped(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    Stamped()
    return y * 2


def test_code_made_from_a_string_is_no_place_of_a_break() -> None:
    with Watch(HERE) as seen:
        torch.compile(stamped, backend="eager")(torch.ones(3))
    for site in seen.observation.break_sites:
        assert site.file == "test_watch.py"
        assert site.own_frame is not None
        assert site.own_frame.file == "test_watch.py"
    assert seen.observation.break_sites


def of_thing(x: torch.Tensor, thing: object) -> torch.Tensor:
    return x * (2 if isinstance(thing, object) else 3)


@pytest.mark.skipif(
    sys.version_info[:2] == (3, 12), reason="Python 3.12 keeps the class alive, and torch the graph"
)
def test_a_graph_that_torch_dropped_before_the_watch_is_passed_over() -> None:
    """torch drops it with the class that it is about, and leaves an empty entry in its cache."""
    compiled = torch.compile(of_thing, backend="eager")

    def call() -> None:
        compiled(torch.ones(2), type("Thing", (), {})())

    call()
    gc.collect()
    (dropped,) = _debug_get_cache_entry_list(of_thing.__code__)
    assert dropped.code is None
    with watch() as seen:
        call()
    (entry,) = seen.observation.timeline
    assert (entry.graph_launches, seen.observation.graphs) == (1, 1)


def test_how_often_a_break_runs_is_unknown_in_graphs_from_before() -> None:
    def prints(x: torch.Tensor) -> torch.Tensor:
        x = x + 1
        print("p", end="")
        return x * 2

    torch._dynamo.reset()
    compiled = torch.compile(prints, backend="eager", dynamic=False)
    compiled(torch.ones(3))
    with watch() as seen:
        compiled(torch.ones(3))
        compiled(torch.ones(4))
    (site,) = seen.observation.break_sites
    assert [entry.kind for entry in seen.observation.timeline] == ["hit", "recompile"]
    assert site.executions_per_warm_call is None


@torch._dynamo.disable(recursive=False)
def left_alone(x: torch.Tensor) -> torch.Tensor:
    return double(x) + 1


def test_what_torch_leaves_alone_is_left_alone_under_a_watch_too() -> None:
    compiled = torch.compile(lambda x: left_alone(x.relu()), backend="eager", dynamic=False)
    with watch(HERE) as seen:
        compiled(torch.ones(3))
        compiled(torch.ones(4))
    rebuilt = {event.function for event in seen.observation.recompile_events}
    assert rebuilt == {"<lambda>", "double"}
