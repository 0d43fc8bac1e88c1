"""Watches that are open at the same time, inside one another or crossed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
import torch._dynamo
from observe.facts import Facts, facts

from pytest_compilecheck import watch
from pytest_compilecheck.observe.hooks.graph_cell import graph_cell

FOUR, FIVE, SQUARE = torch.ones(4), torch.ones(5), torch.ones(2, 2)


@pytest.fixture(autouse=True)
def _clean() -> Iterator[None]:
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


def straight(x: torch.Tensor) -> torch.Tensor:
    return (x + 1).relu()


def left_behind() -> list[str]:
    """Globals of compiled graphs that still hold something of ours."""
    graphs = {name: value for name, value in globals().items() if name.startswith("__compiled_fn")}
    assert graphs
    contents = {name: graph_cell(value).cell_contents for name, value in graphs.items()}
    return [name for name, graph in contents.items() if hasattr(graph, "__wrapped_graph__")]


def test_a_watch_inside_another_takes_nothing_from_it() -> None:
    compiled = torch.compile(straight, backend="eager")
    with watch() as outer:
        compiled(FOUR)
        with watch() as inner:
            compiled(FOUR)
            compiled(FIVE)
        compiled(FOUR)
        compiled(FIVE)
    assert facts(outer.observation) == Facts(
        kinds="compile hit recompile hit hit", launches=(1,) * 5, graphs=2, recompiles=(2,)
    )
    assert facts(inner.observation) == Facts(
        kinds="hit recompile", launches=(1, 1), graphs=1, recompiles=(1,)
    )
    assert left_behind() == []


def test_the_launches_of_crossed_watches() -> None:
    compiled = torch.compile(straight, backend="eager")
    first, second = watch(), watch()
    first.__enter__()
    compiled(FOUR)
    second.__enter__()
    compiled(SQUARE)
    first.__exit__(None, None, None)
    compiled(FOUR)
    compiled(SQUARE)
    second.__exit__(None, None, None)
    compiled(FOUR)
    assert [entry.graph_launches for entry in first.observation.timeline] == [1, 1]
    assert [entry.graph_launches for entry in second.observation.timeline] == [1, 1, 1]
    assert [entry.kind for entry in second.observation.timeline] == ["recompile", "hit", "hit"]
    assert left_behind() == []
