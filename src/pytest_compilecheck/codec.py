"""Plain values to and from JSON-able data, driven by their dataclass fields."""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from collections.abc import Mapping
from typing import Any, TypeVar

T = TypeVar("T")

# JSON name of a field whose natural name Python reserves.
_RESERVED = {"pass_": "pass"}


def encode(value: Any) -> Any:
    """Turn a value (dataclass, mapping, sequence, scalar) into JSON-able data.

    Dataclasses become dicts in field order, followed by the properties that a class lists in
    `encoded`; tuples become lists.

    Raises:
        TypeError: for anything that JSON cannot carry; values are made of plain data only.
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value)]
        names += getattr(value, "encoded", ())
        return {_RESERVED.get(name, name): encode(getattr(value, name)) for name in names}
    if isinstance(value, Mapping):
        return {str(key): encode(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [encode(item) for item in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(f"{type(value).__name__} is no plain value: {value!r}")


def decode(cls: type[T], data: Mapping[str, Any]) -> T:
    """Make a dataclass from what `encode` gave for it; keys that it does not know are ignored.

    Raises:
        TypeError: a field without a default is missing.
    """
    arguments = {}
    dataclass_type: type = cls  # a type[T] is no key of a cache for mypy
    for name, hint in _field_types(dataclass_type).items():
        key = _RESERVED.get(name, name)
        if key in data:
            arguments[name] = _decode_as(hint, data[key])
    return cls(**arguments)


@functools.cache
def _field_types(cls: type) -> dict[str, Any]:
    hints = typing.get_type_hints(cls)
    return {field.name: hints[field.name] for field in dataclasses.fields(cls)}


def _decode_as(hint: Any, data: Any) -> Any:
    if data is None:
        return None
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return decode(hint, data)
    origin, parameters = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        variants = [variant for variant in parameters if variant is not type(None)]
        return _decode_as(variants[0], data) if len(variants) == 1 else data
    if origin is tuple:
        return tuple(_decode_as(parameters[0], item) for item in data)
    if origin in (dict, Mapping):
        return {key: _decode_as(parameters[1], item) for key, item in data.items()}
    return data
