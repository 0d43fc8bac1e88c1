"""Two structures side by side: their leaves, by the way to them."""

from __future__ import annotations

import dataclasses
import gc
import sys
from collections import deque
from collections.abc import Iterator, Mapping
from types import FunctionType, MemberDescriptorType, ModuleType
from typing import Any

import torch
from torch import nn

Pair = tuple[str, object, object]

_NO_STATE = (torch.Tensor, nn.Module, type, ModuleType, FunctionType)

_PLAIN = (tuple, list, dict, set, frozenset)


class IncomparableError(Exception):
    """A part holds tensors, and there is no way into it."""


def pairs(expected: object, actual: object, path: str) -> Iterator[Pair]:
    """Leaves of two structures by path; where the structures differ, the parts that do.

    Looks into lists, tuples, mappings, dataclasses, arrays and modules. Of other objects only the
    tensors and arrays that their attributes lead to are told: what else they keep, such as what
    they have computed already, is their own business.

    Raises:
        IncomparableError: a part holds tensors, and cannot be looked into.
    """
    yield from _Walk().pairs(expected, actual, path)


class _Walk:
    def __init__(self) -> None:
        # Objects may lead back to themselves. Kept, so that no id is used again.
        self._seen: dict[tuple[int, int], tuple[object, object]] = {}

    def pairs(self, expected: object, actual: object, path: str) -> Iterator[Pair]:
        if type(expected) is type(actual):
            expected, actual = _unpacked(expected), _unpacked(actual)
            if self._met(expected, actual):
                return
            one, other = _members(expected), _members(actual)
            if one is not None and other is not None:
                yield from self._members(one, other, path)
                return
            one, other = _attributes(expected), _attributes(actual)
            if one or other:
                yield from self._attributes(one, other, path)
                return
            _refuse_hidden(expected, path)
        yield path, expected, actual

    def _met(self, expected: object, actual: object) -> bool:
        key = id(expected), id(actual)
        if isinstance(expected, torch.Tensor) or key not in self._seen:
            self._seen[key] = expected, actual
            return False
        return True

    def _members(
        self, one: dict[str, object], other: dict[str, object], path: str
    ) -> Iterator[Pair]:
        if one.keys() != other.keys():
            yield f"{path} (its parts)", sorted(one), sorted(other)
            return
        for step, value in one.items():
            yield from self.pairs(value, other[step], f"{path}{step}")

    def _attributes(
        self, one: dict[str, object], other: dict[str, object], path: str
    ) -> Iterator[Pair]:
        for name in sorted({*one, *other}):
            for pair in self.pairs(one.get(name), other.get(name), f"{path}.{name}"):
                if any(isinstance(part, torch.Tensor) for part in pair[1:]):
                    yield pair


def _unpacked(value: object) -> object:
    """An array as a tensor, or as a list where torch has no such dtype; else the value."""
    numpy: Any = sys.modules.get("numpy")  # where it was not imported, there are no arrays
    if numpy is None or not isinstance(value, (numpy.ndarray, numpy.generic)):
        return value
    try:
        return torch.tensor(value)
    except (TypeError, ValueError):
        plain: object = value.tolist()
        return plain


def _members(value: object) -> dict[str, object] | None:
    """Parts of a value by the way to them; None for a leaf."""
    if isinstance(value, torch.Tensor) and value.is_nested:  # two jagged ones never have one shape
        parts: dict[str, object] = {f"[{at}]": x for at, x in enumerate(value.detach().unbind())}
        return {**parts, ".grad": value.grad if value.is_leaf else None}
    if isinstance(value, nn.Module):
        return dict(_state(value))
    if isinstance(value, Mapping):
        return {f"[{key!r}]": part for key, part in value.items()}
    if isinstance(value, (list, tuple, deque)):
        return {f"[{at}]": part for at, part in enumerate(value)}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f".{f.name}": getattr(value, f.name) for f in dataclasses.fields(value)}
    return None


def _state(module: nn.Module) -> Iterator[tuple[str, object]]:
    """Parameters, buffers, and the tensors that modules keep as plain attributes."""
    for name, part in (*module.named_parameters(), *module.named_buffers()):
        yield f".{name}", part
    for where, inner in module.named_modules():
        for name, part in vars(inner).items():
            if isinstance(part, torch.Tensor):
                yield f".{where}.{name}" if where else f".{name}", part


def _attributes(value: object) -> dict[str, object]:
    """What an object of somebody's class keeps; runs none of its code."""
    if isinstance(value, _NO_STATE):
        return {}
    try:
        found: dict[str, object] = dict(object.__getattribute__(value, "__dict__"))
    except AttributeError:
        found = {}
    for kind in type(value).__mro__:
        for name, slot in vars(kind).items():
            if type(slot) is MemberDescriptorType and name != "__dict__":
                try:
                    found[name] = slot.__get__(value)
                except AttributeError:  # not set
                    continue
    return found


def _refuse_hidden(value: object, path: str) -> None:
    if isinstance(value, (*_NO_STATE, str, bytes, int, float, complex)):
        return
    held = gc.get_referents(value)
    inside = (part for each in held if isinstance(each, _PLAIN) for part in gc.get_referents(each))
    if any(isinstance(part, torch.Tensor) for part in (*held, *inside)):
        raise IncomparableError(
            f"{path}: a {type(value).__name__} holds tensors and cannot be looked into: return"
            " them in a list, a mapping or a dataclass"
        )
