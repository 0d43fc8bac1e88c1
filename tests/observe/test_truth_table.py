"""What no built-in count of torch gets right in every row: one line that breaks is one site.

The scenarios differ only in where the breaking line stands. One call each, as in a first look at a
model; beside the sites the graphs that a counting backend sees.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from observe.facts import TORCH, calls, watched
from torch.utils._python_dispatch import TorchDispatchMode

from pytest_compilecheck.contract.bounds import Bound
from pytest_compilecheck.contract.model import Contract
from pytest_compilecheck.judge.judge import judge
from pytest_compilecheck.observe.values.observation import Observation

X = torch.ones(3, 4)


def before_any_op(x: torch.Tensor) -> torch.Tensor:
    print("break")
    return x + 1


def after_last_op(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    print("break")
    return y


def mid_function(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    print("break")
    return y * 2


def deepest(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    print("break")
    return y * 2


def deeper(x: torch.Tensor) -> torch.Tensor:
    return deepest(x) + 1


def two_callers_deep(x: torch.Tensor) -> torch.Tensor:
    return deeper(x * 3) + 1


def in_try_finally(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    try:
        print("break")
    finally:
        y = y * 2
    return y


class Scope:
    def __enter__(self) -> Scope:
        return self

    def __exit__(self, *details: object) -> None:
        return None


def in_context_manager(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    with Scope():
        print("break")
        y = y * 2
    return y + 1


def in_loop(x: torch.Tensor) -> torch.Tensor:
    for _ in range(5):
        x = x + 1
        print("break")
    return x


def helper(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    print("break")
    return y * 2


def helper_called_from_loop(x: torch.Tensor) -> torch.Tensor:
    for _ in range(5):
        x = helper(x)
    return x


def data_dependent_if(x: torch.Tensor) -> torch.Tensor:
    if x.sum() > 0:
        return x * 2
    return x * 3


def item(x: torch.Tensor) -> torch.Tensor:
    total = x.sum().item()
    return x * total


@torch.compiler.disable
def plain(x: torch.Tensor) -> torch.Tensor:
    return x * 2


def disabled_helper(x: torch.Tensor) -> torch.Tensor:
    y = plain(x + 1)
    return y * 3


@dataclass(frozen=True)
class Row:
    """`graphs` are those that a counting backend sees."""

    function: Callable[..., Any]
    graphs: int
    code: str = 'print("break")'
    all_eager: bool = False


TABLE = [
    Row(before_any_op, graphs=1),
    Row(after_last_op, graphs=1),
    Row(mid_function, graphs=2),
    Row(two_callers_deep, graphs=5),
    Row(in_try_finally, graphs=0, all_eager=True),
    Row(in_context_manager, graphs=0, all_eager=True),
    Row(in_loop, graphs=0, all_eager=True),
    Row(helper_called_from_loop, graphs=2),
    Row(data_dependent_if, graphs=2, code="if x.sum() > 0:"),
    Row(item, graphs=2, code="total = x.sum().item()"),
    Row(disabled_helper, graphs=2, code="y = plain(x + 1)"),
]
ROWS = pytest.mark.parametrize("row", TABLE, ids=lambda row: row.function.__name__)


@pytest.fixture(autouse=True)
def _clean() -> Iterator[None]:
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


def violated(seen: Observation, breaks: int = 0) -> set[str]:
    """The bounds that an observation violates of a contract that allows so many breaks."""
    contract = Contract(max_graph_breaks=Bound(breaks))
    return {each.bound for each in judge(contract, seen, torch.__version__).violations}


@ROWS
def test_one_line_that_breaks_is_one_site(row: Row) -> None:
    seen = watched(calls(row.function, (X,)))
    assert [site.code for site in seen.break_sites] == [row.code]
    assert (seen.graphs, seen.problems) == (row.graphs, ())
    kinds = {fallback.kind for fallback in seen.fallbacks}
    skipped = row.all_eager or row.function is helper_called_from_loop
    assert kinds == ({"skipped_frame"} if skipped else set())
    assert seen.timeline[0].kind == ("fallback" if row.all_eager else "compile")
    expected = {"max_graph_breaks"} | ({"fallback"} if skipped else set())
    assert violated(seen) == expected | ({"nothing_compiled"} if row.all_eager else set())


@ROWS
def test_in_full_graph_mode_the_same_line_is_the_site(row: Row) -> None:
    seen = watched(calls(row.function, (X,), fullgraph=True))
    if row.function is item and TORCH >= (2, 10):  # full-graph mode captures .item() since 2.10
        assert (seen.break_sites, seen.timeline[0].kind) == ((), "compile")
        return
    assert [site.code for site in seen.break_sites] == [row.code]
    assert (seen.graphs, seen.fallbacks, seen.timeline[0].kind) == (0, (), "error")
    assert violated(seen) == {"max_graph_breaks"}
    assert violated(seen, breaks=1) == {"nothing_compiled"}  # what compiled nothing cannot pass


class Quiet(TorchDispatchMode):
    def __torch_dispatch__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        return function(*args, **(kwargs or {}))


def straight(x: torch.Tensor) -> torch.Tensor:
    return (x + 1).relu()


def test_under_a_dispatch_mode_nothing_is_compiled() -> None:
    with Quiet():
        seen = watched(calls(straight, (X,)))
    assert (seen.graphs, seen.break_sites) == (0, ())
    [fallback] = seen.fallbacks
    assert (fallback.kind, fallback.calls, fallback.function) == ("skipped_frame", (0,), "straight")
    assert "Quiet" in fallback.reason
    assert seen.timeline[0].kind == "fallback"
    assert violated(seen) == {"fallback", "nothing_compiled"}
