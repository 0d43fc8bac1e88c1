"""Whether data from outside is what `codec.encode` makes of a plain value; if not, where."""

from __future__ import annotations

import dataclasses
import functools
import sys
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any

from pytest_compilecheck import codec

_LARGEST = sys.float_info.max

Check = Callable[[object], None]
"""Raises MismatchError for data that does not fit."""


class MismatchError(Exception):
    """Data is not of the type that it should be; the message names its place: "a[3].b is 5"."""

    def __init__(self, found: str, path: str = "") -> None:
        """Take what was found, and where."""
        self.found, self.path = found, path
        super().__init__(f"{path.lstrip('.')} is {found}")

    def below(self, path: str) -> MismatchError:
        """The same, seen from further out."""
        return MismatchError(self.found, path + self.path)


def check(hint: object, data: object) -> None:
    """Check data against a type: a dataclass, or what its fields may be.

    Keys that the dataclass does not know, and those that are not there, are no matter of this.

    Raises:
        MismatchError: something in it is of another type.
    """
    _checker(hint)(data)


@functools.cache
def _checker(hint: Any) -> Check:
    """What checks data against a type."""
    origin, parameters = typing.get_origin(hint), typing.get_args(hint)
    if dataclasses.is_dataclass(hint):
        return _of_dataclass(_checkers(hint))
    if origin in (typing.Union, types.UnionType):
        return _of_union(parameters)
    if origin is typing.Literal:
        return _of_scalar(lambda value: isinstance(value, str) and value in parameters)
    if origin is tuple:
        return _of_list(_checker(parameters[0]))
    if origin in (dict, Mapping):
        return _of_mapping(_checker(parameters[1]))
    if hint in (int, float):
        kinds = (int, float) if hint is float else (int,)
        return _of_scalar(lambda value: isinstance(value, kinds) and _is_number(value))
    return _of_scalar(lambda value: hint is Any or isinstance(value, hint))


def _checkers(cls: Any) -> dict[str, Check]:
    """By JSON name, also of fields whose own fields stand beside them."""
    hints = typing.get_type_hints(cls)
    found: dict[str, Check] = {}
    for field in dataclasses.fields(cls):
        if field.name in getattr(cls, "flattened", ()):
            found |= _checkers(hints[field.name])
        else:
            found[codec.json_name(field.name)] = _checker(hints[field.name])
    return found


def _of_scalar(fits: Callable[[Any], bool]) -> Check:
    def checked(data: object) -> None:
        if not fits(data):
            raise MismatchError(_shown(data))

    return checked


def _of_union(variants: tuple[Any, ...]) -> Check:
    others = [_checker(each) for each in variants if each is not types.NoneType]

    def checked(data: object) -> None:
        is_none = data is None and types.NoneType in variants
        if not (is_none or any(_fits(each, data) for each in others[:-1])):
            others[-1](data)

    return checked


def _is_number(value: float) -> bool:
    """Whether it is a figure; beyond what a float holds nobody could reckon with it."""
    return not isinstance(value, bool) and not abs(value) > _LARGEST


def _fits(checked: Check, data: object) -> bool:
    try:
        checked(data)
    except MismatchError:
        return False
    return True


def _of_list(item: Check) -> Check:
    def checked(data: object) -> None:
        if not isinstance(data, (list, tuple)):
            raise MismatchError(_shown(data))
        for index, each in enumerate(data):
            try:
                item(each)
            except MismatchError as error:
                raise error.below(f"[{index}]") from None

    return checked


def _of_mapping(item: Check) -> Check:
    def checked(data: object) -> None:
        if not isinstance(data, Mapping):
            raise MismatchError(_shown(data))
        for key, each in data.items():
            try:
                item(each)
            except MismatchError as error:
                raise error.below(f".{key}") from None

    return checked


def _of_dataclass(fields: Mapping[str, Check]) -> Check:
    def checked(data: object) -> None:
        if not isinstance(data, Mapping):
            raise MismatchError(_shown(data))
        for key in data.keys() & fields.keys():
            try:
                fields[key](data[key])
            except MismatchError as error:
                raise error.below(f".{key}") from None

    return checked


def _shown(data: object) -> str:
    text = repr(data)
    return text if len(text) <= 40 else f"{text[:40]}..."
