"""The first difference between two results: its path, size and magnitude."""

from __future__ import annotations

import torch

from pytest_compilecheck.observe.running.leaves import pairs

_LONGEST = 320  # characters of a difference


def first_difference(
    expected: object, actual: object, path: str, *, rtol: float | None, atol: float | None
) -> str | None:
    """Where `actual` (compiled) is not `expected` (eager), in one line; None if nowhere.

    Looks where `pairs` does; tensors and arrays are compared by `torch.testing.assert_close` with
    NaN equal to NaN, numbers and texts by `==`. Tolerances are None for those of the dtype.

    Raises:
        IncomparableError: a part holds tensors, and cannot be looked into.
    """
    for where, one, other in pairs(expected, actual, path):
        told = difference(one, other, rtol, atol)
        if told is not None:
            return f"{where}: {told}"
    return None


def difference(
    expected: object, actual: object, rtol: float | None, atol: float | None
) -> str | None:
    """In one line how two leaves differ; None if they do not."""
    if isinstance(expected, torch.Tensor) and isinstance(actual, torch.Tensor):
        return _tensor_difference(expected, actual, rtol, atol)
    if type(expected) is not type(actual):
        return f"eager gives a {type(expected).__name__}, compiled a {type(actual).__name__}"
    if isinstance(expected, (bool, int, float, complex, str, bytes, type(None), list)):
        same = expected == actual or (expected != expected and actual != actual)  # noqa: PLR0124
        return None if same else _short(f"eager gives {expected!r}, compiled {actual!r}")
    return None  # objects of other kinds have no equality that could be relied on


def _tensor_difference(
    expected: torch.Tensor, actual: torch.Tensor, rtol: float | None, atol: float | None
) -> str | None:
    try:
        torch.testing.assert_close(actual, expected, rtol=rtol, atol=atol, equal_nan=True)
    except AssertionError as error:
        told = " ".join(str(error).replace("Tensor-likes are not close!", "").split())
        return _short(told)
    one, other = (
        expected.grad if expected.is_leaf else None,
        actual.grad if actual.is_leaf else None,
    )
    if one is None or other is None:
        return None if one is other else "only one of the two runs gives a gradient"
    told_of_gradient = _tensor_difference(one, other, rtol, atol)
    return None if told_of_gradient is None else f"gradient: {told_of_gradient}"


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
