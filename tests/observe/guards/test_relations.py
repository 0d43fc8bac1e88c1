from __future__ import annotations

from typing import Any

import pytest
import torch
from observe.guards.made import frame, guard
from torch import nn

from pytest_compilecheck.observe.guards.frame import Remembered
from pytest_compilecheck.observe.guards.relations import relation_changes
from pytest_compilecheck.observe.guards.tree import Guard

ones = torch.ones
DUCK = "  # duck sizing added this equality because these variables had the same size 4"
X, Y = "L['x'].size()[0]", "L['y'].size()[0]"


def told(made: Guard, before: Remembered | None = None, /, **local: Any) -> list[tuple[str, ...]]:
    return [
        (source, change.cause, change.source, change.expected, change.actual, str(change.special))
        for source, change in relation_changes(made, frame(before, **local))
    ]


def symbols(*texts: str) -> Guard:
    return guard("LAMBDA_GUARD", "L", *texts)


@pytest.mark.parametrize(
    ("text", "size", "expected"),
    [
        (f"2 <= {X}", 1, ("shape", "x.size(0)", "2 or more", "1", "zero_one")),
        (f"2 <= {X} <= 10", 0, ("shape", "x.size(0)", "2 or more", "0", "zero_one")),
        (f"2 <= {X} <= 10", 12, ("shape", "x.size(0)", "x.size(0) <= 10", "12", "condition")),
        (f"5 <= {X}  # code  # m.py:1 in f", 4, ("shape", "x.size(0)", "5 <= x.size(0)", "4")),
        (f"{X} != 1", 1, ("shape", "x.size(0)", "2 or more", "1", "zero_one")),
        (f"{X} == 4", 5, ("shape", "x.size(0)", "4", "5", "specialized")),
        (f"({X} % 2) == 0", 5, ("shape", "x.size(0)", "(x.size(0) % 2) == 0", "5", "condition")),
        (f"not ({X} < 3)", 2, ("shape", "x.size(0)", "not (x.size(0) < 3)", "2", "condition")),
    ],
)
def test_a_condition_on_a_size(text: str, size: int, expected: tuple[str, ...]) -> None:
    [(source, *rest)] = told(symbols(text), x=ones(size))
    assert source == X
    assert tuple(rest)[: len(expected)] == expected


@pytest.mark.parametrize(
    ("text", "n", "expected"),
    [
        ("L['n'] <= 10", 12, ("python_value", "n", "n <= 10", "12", "condition")),
        ("L['n'] == 4", 5, ("python_value", "n", "4", "5", "specialized")),
        ("2 <= L['n']", 1, ("python_value", "n", "2 or more", "1", "zero_one")),
        ("2 <= L['n']", -1, ("python_value", "n", "2 <= n", "-1", "condition")),
        ("not math.isnan(L['n'])", 5.0, None),
    ],
)
def test_a_condition_on_a_number(text: str, n: float, expected: tuple[str, ...] | None) -> None:
    found = told(symbols(text), n=n)
    assert found == ([("L['n']", *expected)] if expected else [])


def test_conditions_that_hold_or_cannot_be_asked_tell_nothing() -> None:
    made = symbols(f"2 <= {X}", "L['gone'].size()[0] == 3", f"{X} == L['gone'].size()[0]")
    assert told(made, x=ones(4)) == []


def test_a_number_of_a_module_is_its_state() -> None:
    module = nn.Module()
    module.step = 12
    [(_, cause, name, *_)] = told(symbols("L['m'].step <= 10"), m=module)
    assert (cause, name) == ("module_state", "m.step")


# Two sizes.


@pytest.mark.parametrize(
    ("behind", "special"), [(DUCK, "duck_shape"), ("  # x + y  # m.py:1 in f", "condition")]
)
def test_sizes_that_were_equal(behind: str, special: str) -> None:
    made = symbols(f"{Y} == {X}{behind}")
    expected = (Y, "shape", "y.size(0)", "equal to x.size(0)", "5", special)
    assert told(made, x=ones(4), y=ones(5)) == [expected]


def test_which_of_two_sizes_changed_is_asked_of_their_own_dims() -> None:
    then = Remembered(sizes={"L['x']": (5, 4), "L['y']": (7, 4)})
    made = symbols(f"L['y'].size()[1] == L['x'].size()[1]{DUCK}")
    [(_, _, source, *_)] = told(made, then, x=ones(5, 9), y=ones(7, 4))
    assert source == "x.size(1)"


@pytest.mark.parametrize(
    ("sizes", "name", "before"),
    [
        ((4, 5), "y.size(0)", "equal to x.size(0)"),
        ((5, 4), "x.size(0)", "equal to y.size(0)"),
    ],
)
def test_of_two_sizes_that_were_equal_that_which_changed_is_told(
    sizes: tuple[int, int], name: str, before: str
) -> None:
    then = Remembered(sizes={"L['x']": (4,), "L['y']": (4,)})
    x, y = map(ones, sizes)
    [(_, _, source, expected, actual, _)] = told(symbols(f"{Y} == {X}{DUCK}"), then, x=x, y=y)
    assert (source, expected, actual) == (name, before, "5")


def test_a_multiple_of_a_size_is_no_equal_size() -> None:
    found = told(symbols(f"{X} == 2*{Y}{DUCK}"), x=ones(5), y=ones(2))
    assert found == [(X, "shape", "x.size(0)", "x.size(0) == 2*y.size(0)", "5", "condition")]


# Strides and offsets.

STRIDE = "L['x'].stride()[0]"


def test_a_stride_is_told_where_the_sizes_are_the_same() -> None:
    found = told(symbols(f"{STRIDE} == 3"), x=ones(3, 4).t())
    assert found == [(STRIDE, "stride", "x.stride(0)", "3", "1", "specialized")]


def test_a_stride_that_follows_from_a_size_is_not_told() -> None:
    texts = (f"{STRIDE} == L['x'].size()[1]", f"{X} == 4", f"{STRIDE} == 3")
    [(source, *_)] = told(symbols(*texts), x=ones(5, 4))
    assert source == X


def test_tensors_of_one_object_are_tensors_of_their_own() -> None:
    module = nn.Module()
    module.x, module.y = ones(3, 4).t(), ones(6, 2)
    texts = ("L['m'].y.size()[0] == 4", "L['m'].x.stride()[0] == 3")
    found = told(symbols(*texts), m=module)
    assert [name for _, _, name, *_ in found] == ["m.y.size(0)", "m.x.stride(0)"]


def test_a_stride_is_told_beside_another_tensor_that_was_resized() -> None:
    texts = (f"{Y} == 4", f"{STRIDE} == 3", "L['y'].stride()[0] == 5")
    found = told(symbols(*texts), x=ones(3, 4).t(), y=ones(6, 2))
    assert [source for source, *_ in found] == [Y, STRIDE]


@pytest.mark.parametrize(
    ("condition", "name"),
    [
        (f"{STRIDE} <= 2", "x.stride(0)"),
        ("L['x'].storage_offset() <= 0", "x.storage_offset()"),
    ],
)
def test_conditions_on_layout_are_no_branches_of_the_code(condition: str, name: str) -> None:
    x = torch.ones(13)[1:].view(3, 4)
    [(_, _, source, _, _, special)] = told(symbols(condition), x=x)
    assert (source, special) == (name, "None")


def test_an_offset_is_something_else() -> None:
    [(source, cause, name, *_)] = told(symbols("L['x'].storage_offset() == 0"), x=ones(4)[1:])
    assert (cause, name) == ("other", "x.storage_offset()")
    assert source == "L['x'].storage_offset()"


@pytest.mark.parametrize(
    ("condition", "x", "lost"),
    [
        ("L['x']._base.size()[0] == 4", ones(4), True),
        ("2 <= L['x']._base.size()[0] + L['x']._base.size()[1]", ones(4), True),
        ("L['x']._base.size()[0] == 4", ones(4)[1:], False),
        ("L['gone']._base.size()[0] == 4", ones(4), False),
    ],
)
def test_a_tensor_that_is_no_view_any_more(condition: str, x: torch.Tensor, lost: bool) -> None:
    expected = ("L['x']", "other", "x", "a view of another tensor", "no view", "None")
    assert set(told(symbols(condition), x=x)) == ({expected} if lost else set())


# One object under two names.

A, B = ones(2), ones(3)
TWO = "check_no_aliasing(L['x'], L['lost'], L['y'], L['z'], L['gone'])"


@pytest.mark.parametrize(
    ("tensors", "expected"),
    [
        ((A, A, B), [("L['x']", "x, y")]),
        ((A, B, A), [("L['x']", "x, z")]),
        ((B, A, A), [("L['y']", "y, z")]),
        ((A, A, A), [("L['x']", "x, y, z")]),
        ((A, B, None), []),
        ((None, A, None), []),
    ],
)
def test_tensors_that_became_one(tensors: Any, expected: list[tuple[str, str]]) -> None:
    found = told(guard("NO_TENSOR_ALIASING", "L", TWO), **dict(zip("xyz", tensors, strict=True)))
    words = ("different tensors", "the same tensor", "None")
    assert found == [(source, "alias", name, *words) for source, name in expected]


def test_a_tensor_that_became_two() -> None:
    made = guard("OBJECT_ALIASING", "L", "L['x'] is L['y']  # x + y  # m.py:1 in f")
    words = ("the same tensor", "different tensors", "None")
    assert told(made, x=A, y=B) == [("L['x']", "alias", "x, y", *words)]
    assert told(made, x=A, y=A) == []


def test_an_object_that_became_two() -> None:
    made = guard("OBJECT_ALIASING", "L", "L['a'] is G['GAIN']")
    expected = ("L['a']", "object_identity", "a", "the same object as GAIN", "list object", "None")
    assert told(made, a=[A]) == [expected]


def test_two_tensors_that_became_one_live_where_the_first_of_them_does() -> None:
    module = nn.Module()
    module.t = A
    made = guard("NO_TENSOR_ALIASING", "L", "check_no_aliasing(L['m'].t, L['x'])")
    [(source, change)] = relation_changes(made, frame(m=module, x=A))
    assert (source, change.source, change.holder) == ("L['m'].t", "m.t, x", "module")
