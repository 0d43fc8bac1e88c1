from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pytest_compilecheck.observe.assembly.bytecode import does_work


def jumps_over_its_work(x: Any) -> Any:
    return x
    return x + 1


def either(x: Any, y: Any) -> Any:
    if x is None:
        return y
    return (x, y)


def in_a_branch(x: Any) -> Any:
    if x is None:
        return x
    return -x


def loops(xs: Any) -> Any:
    for _ in xs:
        pass


def stores(x: Any, y: Any) -> None:
    x[0] = y


@pytest.mark.parametrize(
    ("function", "works"),
    [
        (lambda x: x, False),
        (lambda x: None, False),
        (lambda x: (x, 1), False),
        (lambda x: x.attribute, False),
        (jumps_over_its_work, False),
        (either, False),
        (in_a_branch, True),
        (lambda x: x + 1, True),
        (lambda x: x < 1, True),
        (lambda x: x(), True),
        (lambda x: x.method(1), True),
        (lambda x: x[0], True),
        (loops, True),
        (stores, True),
    ],
)
def test_does_work(function: Callable[..., Any], works: bool) -> None:
    assert does_work(function.__code__) is works
