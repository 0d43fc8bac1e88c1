"""Tensors among the arguments of a frame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import ModuleType
from typing import Any

import torch

_DEPTH = 3  # through tuples, lists, dicts, attributes of objects and bound methods' instances


def sizes_of(arguments: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    """Sizes of the tensors among arguments, one level into dicts, lists, tuples and objects.

    Into the objects of a dict too, as a call by any keyword gathers them; not into `self`, which is
    no input, nor into modules.
    """
    found: dict[str, tuple[int, ...]] = {}
    for name, value in arguments.items():
        if isinstance(value, dict):
            found |= _in_members((str(key), item) for key, item in value.items())
            for key, item in value.items():
                found |= _in_members(_attributes(str(key), item))
        elif isinstance(value, (list, tuple)):
            found |= _in_members((f"{name}[{index}]", item) for index, item in enumerate(value))
        else:
            found |= _in_members([(name, value), *_attributes(name, value)])
    return found


def _in_members(members: Iterable[tuple[str, Any]]) -> dict[str, tuple[int, ...]]:
    return {name: _sizes(value) for name, value in members if isinstance(value, torch.Tensor)}


def _attributes(name: str, value: Any) -> list[tuple[str, Any]]:
    """What an object of a class that holds data has, by the author's names."""
    if name == "self" or isinstance(value, (torch.Tensor, torch.nn.Module, type, ModuleType)):
        return []
    held = getattr(value, "__dict__", None)
    return [(f"{name}.{key}", item) for key, item in held.items()] if type(held) is dict else []


def _sizes(tensor: torch.Tensor) -> tuple[int, ...]:
    # A symbolic size, which torch's annotations leave out, cannot become an int: it is told as -1.
    shape: Iterable[Any] = tensor.shape
    return tuple(size if isinstance(size, int) else -1 for size in shape)


def tensors_in(value: Any) -> Iterator[torch.Tensor]:
    """A tensor, or those in mappings, lists and tuples, however deep."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from tensors_in(part)
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from tensors_in(part)


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
