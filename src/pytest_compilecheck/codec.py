"""Plain values to and from JSON-able data, driven by their dataclass fields."""

from __future__ import annotations

import dataclasses
import functools
import operator
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

T = TypeVar("T")

# JSON name of a field whose natural name Python reserves.
_RESERVED = {"pass_": "pass"}
# Most values are one of these, exactly: a report of a large suite holds millions.
_SCALARS = frozenset({str, int, float, bool, type(None)})


def json_name(field: str) -> str:
    """The name that a field has in JSON."""
    return _RESERVED.get(field, field)


def encode(value: Any) -> Any:
    """Turn a value (dataclass, mapping, sequence, scalar) into JSON-able data.

    Dataclasses become dicts in field order, followed by the properties that a class lists in
    `encoded`; tuples become lists. The fields of a dataclass hold what their types say.

    Raises:
        TypeError: for anything that JSON cannot carry; values are made of plain data only.
    """
    kind: type = type(value)
    if kind in _SCALARS:
        return value
    parts = _parts(kind)
    if parts is not None:
        names, get, written = parts
        data = dict(zip(names, get(value), strict=True))
        for name, write in written:
            each = data[name]
            if each is not None:
                data[name] = write(each)
        return data
    if isinstance(value, (list, tuple)):
        return [item if type(item) in _SCALARS else encode(item) for item in value]
    if isinstance(value, Mapping):
        return {
            str(key): item if type(item) in _SCALARS else encode(item)
            for key, item in value.items()
        }
    if isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(f"{type(value).__name__} is no plain value: {value!r}")


def decode(cls: type[T], data: Mapping[str, Any]) -> T:
    """Make a dataclass from what `encode` gave for it; keys that it does not know are ignored.

    Raises:
        TypeError: a field without a default is missing.
    """
    dataclass_type: type = cls  # a type[T] is no key of a cache for mypy
    arguments = {}
    for name, key, read in _decoded_fields(dataclass_type):
        if key in data:
            value = data[key]
            arguments[name] = value if read is None or value is None else read(value)
    return cls(**arguments)


_Write = Callable[[Any], Any]
_Parts = tuple[Sequence[str], Callable[[Any], tuple[Any, ...]], Sequence[tuple[str, _Write]]]


@functools.cache
def _parts(cls: type) -> _Parts | None:
    """The JSON names of what a dataclass is encoded as, what gets its values, what encodes which.

    None for any other class.
    """
    if not dataclasses.is_dataclass(cls):
        return None
    names = [field.name for field in dataclasses.fields(cls)]
    names += getattr(cls, "encoded", ())
    get = operator.attrgetter(*names) if len(names) > 1 else lambda value: (getattr(value, *names),)
    hints = typing.get_type_hints(cls)
    writers = [(json_name(name), _writer(hints.get(name, Any))) for name in names]
    written = [(name, write) for name, write in writers if write is not None]
    return [json_name(name) for name in names], get, written


def _writer(hint: Any) -> _Write | None:
    """What encodes a field's value of a type, if not null; None where the value is the data.

    What a type tells of all values is not looked for in each of them.
    """
    if _is_scalar(hint):
        return None
    origin, parameters = typing.get_origin(hint), typing.get_args(hint)
    if origin is tuple and parameters[1:] == (...,):
        return _list_writer(_writer(parameters[0]))
    if origin in (dict, Mapping) and parameters[0] is str:
        return _dict_writer(_writer(parameters[1]))
    return encode


def _list_writer(write: _Write | None) -> _Write:
    return list if write is None else lambda value: [write(item) for item in value]


def _dict_writer(write: _Write | None) -> _Write:
    return dict if write is None else lambda value: {k: write(v) for k, v in value.items()}


def _is_scalar(hint: Any) -> bool:
    """Whether all values of a type are scalars."""
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        return all(map(_is_scalar, typing.get_args(hint)))
    return hint in _SCALARS or origin is typing.Literal


_Read = Callable[[Any], Any]


@functools.cache
def _decoded_fields(cls: type) -> tuple[tuple[str, str, _Read | None], ...]:
    """Field, JSON name and what reads its value, for each field of a dataclass."""
    hints = typing.get_type_hints(cls)
    names = [field.name for field in dataclasses.fields(cls)]
    return tuple((name, json_name(name), _reader(hints[name])) for name in names)


def _reader(hint: Any) -> _Read | None:
    """What makes a value of a type from data that is not null; None where the data is the value."""
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return functools.partial(decode, hint)
    origin, parameters = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        variants = [variant for variant in parameters if variant is not type(None)]
        return _reader(variants[0]) if len(variants) == 1 else None
    if origin is tuple:
        read = _reader(parameters[0])
        return tuple if read is None else lambda data: tuple(map(read, data))
    if origin in (dict, Mapping):
        read_item = _reader(parameters[1])
        if read_item is None:
            return dict
        return lambda data: {key: read_item(item) for key, item in data.items()}
    return None
