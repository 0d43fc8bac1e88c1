from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from pytest_compilecheck.observe.running.differences import first_difference
from pytest_compilecheck.observe.running.leaves import IncomparableError

X = torch.arange(6.0).reshape(2, 3)


@dataclass
class Output:
    logits: torch.Tensor
    steps: int


def difference(expected: object, actual: object, **tolerances: float | None) -> str | None:
    return first_difference(
        expected, actual, "output", **{"rtol": None, "atol": None, **tolerances}
    )


@pytest.mark.parametrize(
    "value",
    [X, [X, {"a": (X, 1)}], Output(X, 3), None, 2.5, "a", float("nan"), X / 0, nn.Linear(2, 2)],
    ids=str,
)
def test_a_value_does_not_differ_from_itself(value: object) -> None:
    assert difference(value, value) is None


def test_tolerances_are_those_of_the_dtype_or_as_given() -> None:
    assert difference(X, X + 1e-7) is None
    assert difference(X, X + 1e-3) is not None
    assert difference(X, X + 1e-3, rtol=0, atol=1e-2) is None
    assert difference(X, X + 1e-7, rtol=0, atol=0) is not None


@pytest.mark.parametrize(
    ("expected", "actual", "start"),
    [
        (X, X.where(X != 4, 4.5), "output: Mismatched elements: 1 / 6 (16.7%) Greatest absolute"),
        (X, X[:1], "output: The values for attribute 'shape' do not match"),
        (X, X.double(), "output: The values for attribute 'dtype' do not match"),
        ([X, X], [X, X + 1], "output[1]: Mismatched elements: 6 / 6"),
        ({"a": [1, 2]}, {"a": [1, 3]}, "output['a'][1]: eager gives 2, compiled 3"),
        ({"a": 1}, {"b": 1}, "output (its parts): eager gives [\"['a']\"], compiled [\"['b']\"]"),
        ([1], [1, 2], "output (its parts): "),
        ([1], (1,), "output: eager gives a list, compiled a tuple"),
        (1, 1.0, "output: eager gives a int, compiled a float"),
        (X, None, "output: eager gives a Tensor, compiled a NoneType"),
        (Output(X, 1), Output(X, 2), "output.steps: eager gives 1, compiled 2"),
    ],
)
def test_the_first_difference_is_told_with_its_path(
    expected: object, actual: object, start: str
) -> None:
    told = difference(expected, actual)
    assert told is not None
    assert told.startswith(start)
    assert "\n" not in told


def test_state_of_modules_is_compared() -> None:
    one, other = nn.BatchNorm1d(3), nn.BatchNorm1d(3)
    assert difference(one, other) is None
    other.running_mean += 1
    told = difference({"model": one}, {"model": other})
    assert told is not None
    assert told.startswith("output['model'].running_mean: Mismatched")


def graded(scale: float | None) -> torch.Tensor:
    leaf = X.clone().requires_grad_()
    if scale is not None:
        (leaf * scale).sum().backward()
    return leaf


@pytest.mark.parametrize(
    ("expected", "actual", "told"),
    [
        (2.0, 2.0, None),
        (None, None, None),
        (2.0, 3.0, "output: gradient: Mismatched elements: 6 / 6"),
        (2.0, None, "output: only one of the two runs gives a gradient"),
    ],
)
def test_gradients_are_compared(expected: Any, actual: Any, told: str | None) -> None:
    found = difference(graded(expected), graded(actual))
    assert (found is None) == (told is None)
    assert told is None or (found or "").startswith(told)


def rows(*lengths: int, grad: float | None = None) -> torch.Tensor:
    """A jagged tensor, with such a gradient."""
    parts = [torch.arange(float(n)) for n in lengths]
    made = torch.nested.nested_tensor(parts, layout=torch.jagged, requires_grad=grad is not None)
    if grad is not None:
        (made * grad).sum().backward()
    return made


def test_jagged_tensors_are_compared_row_by_row() -> None:
    assert difference(rows(2, 3), rows(2, 3)) is None
    told = difference(rows(2, 3), rows(2, 3) * 2)
    assert told is not None
    assert told.startswith("output[0]: ")
    assert difference(rows(2, 3), rows(2)) == (
        "output (its parts): eager gives ['.grad', '[0]', '[1]'], compiled ['.grad', '[0]']"
    )


def test_gradients_of_jagged_tensors_are_compared() -> None:
    assert difference(rows(2, 3, grad=1.0), rows(2, 3, grad=1.0)) is None
    told = difference(rows(2, 3, grad=1.0), rows(2, 3, grad=2.0))
    assert told is not None
    assert told.startswith("output.grad[0]: ")


class Plain:
    def __init__(self, y: object, **more: object) -> None:
        self.y = y
        self.__dict__.update(more)


class Slotted:
    __slots__ = ("unset", "y")

    def __init__(self, y: object) -> None:
        self.y = y


class Counting(nn.Module):
    def __init__(self, seen: float) -> None:
        super().__init__()
        self.inner = nn.Identity()
        self.inner.seen = X + seen


def ring(y: object) -> Plain:
    found = Plain(y)
    found.other = [found]  # type: ignore[attr-defined]
    return found


@pytest.mark.parametrize(
    ("make", "where"),
    [
        (lambda y: y.numpy(), "output"),
        (lambda y: {"a": [y.numpy()]}, "output['a'][0]"),
        (lambda y: np.float32(y[0, 0].item()), "output"),
        (lambda y: np.array([y, "text"], dtype=object), "output[0]"),
        (Plain, "output.y"),
        (Slotted, "output.y"),
        (lambda y: SimpleNamespace(y=y), "output.y"),
        (lambda y: Plain([Slotted({"a": y})]), "output.y[0].y['a']"),
        (ring, "output.y"),
        (lambda y: partial(print, y), "output.args[0]"),
        (lambda y: deque([y]), "output[0]"),
        (lambda y: Counting(y[0, 0].item()), "output.inner.seen"),
    ],
)
def test_arrays_and_objects_are_looked_into(make: Callable[..., Any], where: str) -> None:
    assert difference(make(X), make(X.clone())) is None
    told = difference(make(X), make(X + 1))
    assert told is not None
    assert told.startswith(where)


def test_of_objects_only_tensors_are_compared() -> None:
    assert difference(Plain(X, cached=1, kind="a"), Plain(X, kind="b")) is None
    told = difference(Plain(X), Plain(X, more=X))
    assert told == "output.more: eager gives a NoneType, compiled a Tensor"


@pytest.mark.parametrize("make", [lambda: {X}, lambda: iter([X])])
def test_what_hides_tensors_cannot_be_compared(make: Callable[[], object]) -> None:
    with pytest.raises(IncomparableError, match=r"output\['a'\]: a \w+ holds tensors and cannot"):
        difference({"a": make()}, {"a": make()})
