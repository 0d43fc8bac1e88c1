"""What of custom operators is checked: each way in which the graphs of a watch call them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch.utils.checkpoint import checkpoint

from pytest_compilecheck.observe import custom_ops
from pytest_compilecheck.observe.custom_ops import CustomOpCheck
from pytest_compilecheck.observe.values.observation import Observation
from pytest_compilecheck.observe.watch import Watch

BAD = 7
MUTATED = "test_schema: Argument x is not defined as mutable but was mutated"
NEVER = "it cannot be checked, because no call of it was seen to run"


@torch.library.custom_op("checked::maybe", mutates_args=())
def maybe(x: torch.Tensor, n: int) -> torch.Tensor:
    if n == BAD:
        x.add_(1)
    return x.clone()


@maybe.register_fake
def _(x: torch.Tensor, n: int) -> torch.Tensor:
    return torch.empty_like(x)


@torch.library.custom_op("checked::contiguous", mutates_args=())
def contiguous(x: torch.Tensor) -> torch.Tensor:
    if not x.is_contiguous():
        x.add_(1)
    return x.contiguous().clone()


@contiguous.register_fake
def _(x: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(x, memory_format=torch.contiguous_format)


broken: set[int] = set()


@torch.library.custom_op("checked::fragile", mutates_args=())
def fragile(x: torch.Tensor) -> torch.Tensor:
    if x.size(0) in broken:
        raise ValueError("broken")
    return x.clone()


@fragile.register_fake
def _(x: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(x)


region = torch.compiler.nested_compile_region(lambda x, n: maybe(x + 1, n))


class Doubling(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, n: int) -> Any:
        ctx.n = n
        return maybe(x * 2, 1)

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> Any:  # type: ignore[override]
        return maybe(grad * 2, ctx.n), None


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


def watched(function: Callable[..., Any], *calls: tuple[Any, ...]) -> Observation:
    """The observation of a function that is compiled and called with each of these arguments."""
    compiled = torch.compile(function, backend="eager")
    with Watch(custom_ops=CustomOpCheck()) as seen:
        for arguments in calls:
            compiled(*arguments)
    assert seen.observation.problems == ()
    return seen.observation


def faults(function: Callable[..., Any], *calls: tuple[Any, ...]) -> set[str]:
    """What is wrong with the operators of such a one."""
    found = [op.faults for op in watched(function, *calls).opaque_ops]
    assert found
    return {fault for each in found for fault in each or ()}


def x(*size: int, **fields: Any) -> torch.Tensor:
    return torch.ones(*(size or (4, 4)), **fields)


CALLS: dict[str, Callable[[torch.Tensor, int], Any]] = {
    "after another": lambda x, n: maybe(maybe(x + 1, 1), n),
    "checkpoint": lambda x, n: checkpoint(lambda t: maybe(t + 1, n), x, use_reentrant=False),
    "region": lambda x, n: region(region(x, n), n),
    "branch": lambda x, n: torch.cond(x.sum() > 0, lambda t: maybe(t + 1, n), torch.sin, (x,)),
    "region in checkpoint": lambda x, n: checkpoint(
        lambda t: region(region(t, n), n), x, use_reentrant=False
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_each_call_in_a_graph_is_checked(name: str) -> None:
    assert faults(lambda x: CALLS[name](x, 1), (x(),)) == set()
    assert faults(lambda x: CALLS[name](x, BAD), (x(),)) == {MUTATED}


def test_a_call_in_a_rebuilt_graph_alone_is_checked() -> None:
    def flagged(x: torch.Tensor, flag: bool) -> Any:
        return maybe(x + 1, BAD) if flag else x + 1

    seen = watched(flagged, (x(), False), (x(), True))
    assert seen.recompiles == 1
    assert [(op.calls, op.faults) for op in seen.opaque_ops] == [(1, (MUTATED,))]


def test_a_number_that_the_graph_is_given_is_tried_with_each_value() -> None:
    numbers = [(x(), n) for n in (3, 4, 5, BAD)]
    assert faults(lambda x, n: maybe(x + 1, n), *numbers) == {MUTATED}
    assert faults(lambda x, n: maybe(x + 1, n), *numbers[:-1]) == set()


def test_a_number_that_the_graph_reads_from_a_tensor_is_tried_with_each_value() -> None:
    def read(x: torch.Tensor) -> Any:
        return maybe(x + 1, x.max().int().item())

    with torch._dynamo.config.patch(capture_scalar_outputs=True):
        assert faults(read, (x(),), (x() * BAD,)) == {MUTATED}


def test_a_tensor_of_another_layout_is_another_call() -> None:
    assert faults(lambda x: contiguous(x + 1), (x(),)) == set()
    both = faults(lambda x: contiguous(contiguous(x + 1).t()), (x(),))
    assert both == {MUTATED}


def test_a_branch_that_is_taken_later_is_checked() -> None:
    branch = CALLS["branch"]
    assert faults(lambda x: branch(x, BAD), (-x(),), (x(),)) == {MUTATED}


def test_an_operator_in_a_branch_that_is_never_taken_is_not_known_to_be_sound() -> None:
    branch = CALLS["branch"]
    assert faults(lambda x: branch(x, 1), (-x(),)) == {NEVER}


def test_the_body_of_a_backward_is_checked() -> None:
    def applied(x: torch.Tensor, n: int) -> Any:
        return Doubling.apply(x.clone(), n) + 1

    trained = x(requires_grad=True)
    assert faults(lambda x: applied(x, 1), (trained,)) == set()
    assert faults(lambda x: applied(x, BAD), (trained,)) == {MUTATED}
    assert trained.grad is None


def test_more_calls_than_are_tried_are_not_passed_as_sound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(custom_ops, "_MOST_CALLS", 2)
    monkeypatch.setattr(custom_ops, "_MOST_LAUNCHES", 3)

    def many(x: torch.Tensor) -> Any:
        return maybe(maybe(maybe(x, 1), 2), 3)

    why = "not all of its calls are checked: "
    assert faults(many, (x(),)) == {f"{why}it is called in more ways than the 2 that are tried"}
    monkeypatch.setattr(custom_ops, "_MOST_CALLS", 99)
    lengths = [(x(n, 2),) for n in range(3, 9)]
    (told,) = faults(lambda x: maybe(x, x.size(0)), *lengths)
    assert told == f"{why}a graph ran with more numbers than the 3 that are tried"
    # What is given the same number in each of them is checked.
    assert faults(lambda x: maybe(x + 1, 1), *lengths) == set()


@pytest.mark.parametrize(
    ("function", "lengths"),
    [
        (lambda x: maybe(fragile(maybe(x, 1)), 2), [5]),
        (lambda x: maybe(fragile(x), x.size(0)), [3, 4, 5]),
    ],
    ids=["another call was checked", "another number was checked"],
)
def test_a_call_behind_one_that_fails_anew_is_not_passed_as_sound(
    function: Callable[[torch.Tensor], Any], lengths: list[int]
) -> None:
    compiled = torch.compile(function, backend="eager")
    with Watch(custom_ops=CustomOpCheck()) as seen:
        for length in lengths:
            compiled(x(length, 2))
        broken.add(5)
        try:
            found = {fault for op in seen.observation.opaque_ops for fault in op.faults or ()}
        finally:
            broken.clear()
    why = "it cannot be checked, because its graph fails when it runs again"
    assert f"{why}: ValueError: broken" in found


def test_it_can_be_read_more_than_once() -> None:
    compiled = torch.compile(lambda x, n: maybe(x + 1, n), backend="eager")
    with Watch(custom_ops=CustomOpCheck()) as seen:
        compiled(x(), 1)
        assert [op.faults for op in seen.observation.opaque_ops] == [()]
        compiled(x(), BAD)
        for _ in range(2):
            assert {op.faults for op in seen.observation.opaque_ops} == {(MUTATED,)}


def test_inputs_that_the_graph_changes_and_modules_are_left_as_they_are() -> None:
    linear = torch.nn.Linear(4, 4)
    before = [each.clone() for each in linear.parameters()]

    def changing(x: torch.Tensor) -> Any:
        x.add_(1)
        return linear(maybe(x, 1))

    given = x()
    assert faults(changing, (given,), (given,)) == set()
    assert given.unique().tolist() == [3.0]
    assert all(map(torch.equal, before, linear.parameters()))
