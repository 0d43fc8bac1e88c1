"""Tensors among the arguments of a frame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import ModuleType
from typing import Any

import torch

_DEPTH = 3  # through tuples, lists, dicts, attributes of objects and bound methods' instances


def sizes_of(arguments: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    """Sizes of the tensors among arguments, one level into dicts, lists and tuples."""
    found: dict[str, tuple[int, ...]] = {}
    for name, value in arguments.items():
        if isinstance(value, torch.Tensor):
            found[name] = _sizes(value)
        elif isinstance(value, dict):
            members = ((str(key), item) for key, item in value.items())
            found.update((k, _sizes(v)) for k, v in members if isinstance(v, torch.Tensor))
        elif isinstance(value, (list, tuple)):
            members = ((f"{name}[{index}]", item) for index, item in enumerate(value))
            found.update((k, _sizes(v)) for k, v in members if isinstance(v, torch.Tensor))
    return found


def _sizes(tensor: torch.Tensor) -> tuple[int, ...]:
    # A symbolic size, which torch's annotations leave out, cannot become an int: it is told as -1.
    shape: Iterable[Any] = tensor.shape
    return tuple(size if isinstance(size, int) else -1 for size in shape)


def reaches_tensor(values: list[Any]) -> bool:
    """Whether a tensor, or a module with one, can be reached from the values themselves.

    Deeper than torch's own look (`convert_frame.has_tensor_in_frame`), which misses instances of
    tuple subclasses; closures and globals are no arguments and are not looked at.
    """
    seen: set[int] = set()
    level = list(values)
    for _ in range(_DEPTH + 1):
        fresh = [value for value in level if id(value) not in seen]
        if any(isinstance(value, (torch.Tensor, torch.nn.Module)) for value in fresh):
            return True
        seen.update(map(id, fresh))
        level = [member for value in fresh for member in _members(value)]
    return False


def _members(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping) and not _is_unmade(value):
        yield from list(value.values())
    elif isinstance(value, (list, tuple, set, frozenset)):
        yield from list(value)
    elif isinstance(value, (type, ModuleType)):
        return  # what a class or a module holds is no argument
    elif isinstance(getattr(value, "__dict__", None), dict):
        yield from list(vars(value).values())
    owner = getattr(value, "__self__", None)
    if owner is not None:
        yield owner


def _is_unmade(mapping: Mapping[Any, Any]) -> bool:
    """Whether its `__init__` has yet to run: one written in Python then cannot be iterated."""
    return not isinstance(mapping, dict) and getattr(mapping, "__dict__", None) == {}
