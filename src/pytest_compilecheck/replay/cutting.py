"""Outputs of padded inputs, cut back and compared with those of the inputs as they are."""

from __future__ import annotations

from collections.abc import Mapping

import torch

from pytest_compilecheck.contract.model import Contract
from pytest_compilecheck.observe.running.differences import difference
from pytest_compilecheck.observe.running.leaves import pairs

Rounded = Mapping[str, tuple[int, int]]
"""The size of a dim, and what it was rounded to, by the dim's name."""


def difference_after_cut(
    expected: object, actual: object, rounded: Rounded, contract: Contract, path: str = "output"
) -> str | None:
    """Where `actual`, from padded inputs, differs from `expected` once it is cut; None if nowhere.

    A dim is cut where it has a rounded size and `expected` the size that was rounded.

    Raises:
        IncomparableError: a part holds tensors, and cannot be looked into.
    """
    for where, one, other in pairs(expected, actual, path):
        if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
            cut = _cut(one, other, rounded)
            if cut is None:
                sizes = f"{list(other.shape)}, the unpadded one {list(one.shape)}"
                return f"{where}: it cannot be cut back: the padded run gives the sizes {sizes}"
            told = difference(one, cut, contract.rtol, contract.atol)
        else:
            told = difference(one, other, contract.rtol, contract.atol)
        if told is not None:
            return f"{where}: {told}"
    return None


def _cut(expected: torch.Tensor, actual: torch.Tensor, rounded: Rounded) -> torch.Tensor | None:
    """The part of `actual` that is real; None where its sizes do not tell which."""
    if expected.dim() != actual.dim():
        return None
    for dim, (size, given) in enumerate(zip(expected.shape, actual.shape, strict=True)):
        if size != given:
            if (size, given) not in rounded.values():
                return None
            actual = actual.narrow(dim, 0, size)
    return actual
