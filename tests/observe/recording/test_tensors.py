from __future__ import annotations

import collections
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
import torch
from torch.nn.utils.rnn import pack_sequence

from pytest_compilecheck.observe.recording.tensors import reaches_tensor, sizes_of

X = torch.ones(2, 3)


def test_sizes_of_tensors_one_level_deep() -> None:
    arguments = {
        "x": X,
        "n": 3,
        "pair": (X, 4),
        "more": {"y": torch.ones(4), "n": 1, 7: torch.ones(())},
        "deep": [[X]],
    }
    assert sizes_of(arguments) == {"x": (2, 3), "pair[0]": (2, 3), "y": (4,), "7": ()}


def test_sizes_of_tensors_that_objects_hold() -> None:
    held = Holder(x=X, n=3, inner=Holder(y=X))
    assert sizes_of({"batch": held, "self": held}) == {"batch.x": (2, 3)}
    assert sizes_of({"kwargs": {"batch": held}}) == {"batch.x": (2, 3)}
    assert sizes_of({"model": torch.nn.Linear(2, 2), "kind": Holder, "module": torch}) == {}


def test_a_parameter_is_a_tensor() -> None:
    assert sizes_of({"w": torch.nn.Parameter(X)}) == {"w": (2, 3)}


class Holder:
    def __init__(self, **fields: Any) -> None:
        vars(self).update(fields)

    def method(self) -> None: ...


class Pair(NamedTuple):
    left: Any
    right: Any


class Slotted:
    __slots__ = ("x",)


@pytest.mark.parametrize(
    "value",
    [
        X,
        torch.nn.Linear(2, 2),
        (1, X),
        [X],
        {"a": X},
        {X},
        frozenset([X]),
        Pair(1, X),
        collections.OrderedDict(a=X),
        SimpleNamespace(x=X),
        Holder(x=X),
        Holder(x=X).method,
        torch.nn.Linear(2, 2).forward,
        pack_sequence([X]),
        ({"a": [X]},),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_leads_to_a_tensor(value: Any) -> None:
    assert reaches_tensor([0, value])


def closure(x: torch.Tensor) -> Any:
    return lambda: x


@pytest.mark.parametrize(
    "value",
    [1, "x", (), {}, Holder(), Holder().method, Slotted(), closure(X), torch, Holder, torch.ones],
    ids=lambda value: type(value).__name__,  # a repr may hold an address
)
def test_what_does_not(value: Any) -> None:
    assert not reaches_tensor([value])


def test_three_levels_deep_and_no_deeper() -> None:
    assert reaches_tensor([[[[X]]]])
    assert not reaches_tensor([[[[[X]]]]])


def test_a_value_that_holds_itself_comes_to_an_end() -> None:
    loop: list[Any] = []
    loop.append(loop)
    assert not reaches_tensor([loop])
    loop.append(X)
    assert reaches_tensor([loop])
