"""Causes that are no property of one value: one tensor under two names, and all else."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import pytest
import torch
from observe.facts import calls, watched
from observe.guards.scenarios import PLACES, PLAIN, facts, only_change
from torch import nn

ones = torch.ones
X = ones(4, 4)


# One tensor under two names. Two parameters of a module may be one: torch does not ask.

A, B = ones(3), ones(3)


def in_one_argument(one: Any, other: Any) -> tuple[Any, ...]:
    return ({"a": one, "b": [other]},)


@pytest.mark.parametrize(
    ("function", "names", "make"),
    [
        (lambda x, y: x + y, "x, y", lambda one, other: (one, other)),
        (lambda d: d["a"] + d["b"][0], "d['a'], d['b'][0]", in_one_argument),
    ],
)
@pytest.mark.parametrize("apart_first", [True, False])
def test_two_tensors_in_arguments(
    function: Any, names: str, make: Callable[..., Any], apart_first: bool
) -> None:
    apart, together = make(A, B), make(A, A)
    order = (apart, together) if apart_first else (together, apart)
    change = only_change(calls(function, *order))
    words = ("different tensors", "the same tensor")
    assert facts(change) == ("alias", "argument", names, *(words if apart_first else words[::-1]))
    assert change.cure == "pass tensors that are always distinct (clone one), or always the same"


ONE = OTHER = A


def test_two_tensors_in_globals() -> None:
    def adds(x: torch.Tensor) -> torch.Tensor:
        return x + ONE + OTHER

    def run() -> None:
        compiled = torch.compile(adds, backend="eager")
        for globals()["OTHER"] in (B, A):
            compiled(X[:3, 0])

    change = only_change(run)
    words = ("different tensors", "the same tensor")
    assert facts(change) == ("alias", "global", "ONE, OTHER", *words)


def test_two_tensors_in_a_closure() -> None:
    one, other = A, B

    def adds(x: torch.Tensor) -> torch.Tensor:
        return x + one + other

    def run() -> None:
        nonlocal other
        compiled = torch.compile(adds, backend="eager")
        compiled(X[:3, 0])
        other = one
        compiled(X[:3, 0])

    change = only_change(run)
    words = ("different tensors", "the same tensor")
    assert facts(change) == ("alias", "closure", "one, other", *words)


def test_two_tensors_of_a_module() -> None:
    class Adds(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x + self.one + self.other

    def run() -> None:
        module = Adds()
        module.one = A
        compiled = torch.compile(module, backend="eager")
        for module.other in (B, A):
            compiled(X[:3, 0])

    change = only_change(run)
    words = ("different tensors", "the same tensor")
    assert facts(change) == ("alias", "module", "self.one, self.other", *words)


# All else.


def test_a_mark_put_on_a_tensor_between_calls() -> None:
    def run() -> None:
        x = ones(4)
        compiled = torch.compile(lambda x: x * 2, backend="eager")
        compiled(x)
        torch._dynamo.mark_dynamic(x, 0)
        compiled(x)

    change = only_change(run)
    assert facts(change) == ("other", "argument", "x", "no such mark", "dims marked dynamic: [0]")
    assert change.cure == "mark x before its first call, the same way in all calls"


def test_another_backend_function() -> None:
    def doubles(x: torch.Tensor) -> torch.Tensor:
        return x * 2

    def run() -> None:
        for _ in range(2):
            torch.compile(doubles, backend=lambda module, _: module.forward)(X)

    change = only_change(run)
    assert facts(change) == (
        "other",
        "process",
        "backend of torch.compile",
        "the same backend function",
        "another one",
    )
    assert (
        change.cure == "make the backend function once and pass the same one to each torch.compile"
    )


@pytest.mark.parametrize("place", ["module", "global"])
def test_an_object_that_is_gone(place: str) -> None:
    """torch drops the graph with it; it keeps what arguments and closures hold."""

    class Thing:
        pass

    def run() -> None:
        call = PLACES[place][0](lambda x, v: x * (id(v) % 2), PLAIN.get)
        call(Thing())
        gc.collect()
        call(Thing())

    change = only_change(run)
    before, after = "the same object", "another one: the first is gone"
    assert facts(change) == ("object_identity", place, PLACES[place][1], before, after)


def test_nothing_is_told_of_calls_that_hit() -> None:
    assert watched(calls(lambda x: x * 2, (X,), (X,))).recompile_events == ()
