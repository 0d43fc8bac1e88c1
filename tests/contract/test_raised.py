from __future__ import annotations

import json
from collections.abc import Callable
from types import CodeType

import pytest

from pytest_compilecheck.contract.raised import line_below


def ask(function: Callable[[], object]) -> object:
    return function()


def deep() -> None:
    _deeper()


def _deeper() -> None:
    raise ValueError("x")


def through_a_library() -> None:
    json.loads("{")


@pytest.mark.parametrize(("function", "below"), [(deep, _deeper), (through_a_library, None)])
def test_the_innermost_line_of_the_file(
    function: Callable[[], None], below: Callable[[], None] | None
) -> None:
    with pytest.raises(ValueError) as raised:  # noqa: PT011 - of json too
        ask(function)
    line = (below or function).__code__.co_firstlineno + 1
    assert line_below(ask.__code__, raised.value) == (__file__, line)


@pytest.mark.parametrize("caller", [ask.__code__, deep.__code__])
def test_what_came_through_no_function(caller: CodeType) -> None:
    with pytest.raises(TypeError) as raised:
        ask(int("1").__add__)
    assert line_below(caller, raised.value) is None
