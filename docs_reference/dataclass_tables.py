"""Plain values as sections of a page: what each is, and a table of what it holds."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal

from docs_reference.docstring import docstring
from docs_reference.markdown import code, prose, table
from pytest_compilecheck.codec import json_name

_WORDS: Final[Mapping[object, str]] = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "true or false",
    types.NoneType: "null",
    Any: "any value",
}


def kinds_within(root: type, *, properties: bool = False) -> list[type]:
    """A dataclass and those that its values hold, each once, outer to inner.

    With `properties` also those that its properties give.
    """
    found = [root]
    for each in found:  # grows while it is gone through
        given = [_given(made) for made in vars(each).values() if isinstance(made, property)]
        for hint in [*typing.get_type_hints(each).values(), *(given if properties else ())]:
            found += dict.fromkeys(kind for kind in _dataclasses_of(hint) if kind not in found)
    return found


def _given(made: property) -> object:
    return typing.get_type_hints(made.fget)["return"]


def _dataclasses_of(hint: object) -> Iterator[type]:
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        yield hint
    for inner in typing.get_args(hint):
        yield from _dataclasses_of(inner)


def as_json(kind: Any) -> Iterator[str]:
    """A section on what `codec.encode` makes of such a value."""
    hints = typing.get_type_hints(kind)
    rows = [[code(json_name(each.name)), words(hints[each.name])] for each in _fields(kind)]
    for name in getattr(kind, "encoded", ()):
        told, about = _property(vars(kind)[name])
        rows.append([code(name), f"{told}. {about}"])
    yield from (f"## {kind.__name__}", docstring(kind), table(["key", "value"], rows))


def as_python(kind: Any) -> Iterator[str]:
    """A section on the attributes of such a value, its properties among them."""
    hints = typing.get_type_hints(kind)
    rows = [[code(each.name), _python(words(hints[each.name])), ""] for each in _fields(kind)]
    for name, each in vars(kind).items():
        if isinstance(each, property) and not name.startswith("_"):
            told, about = _property(each)
            rows.append([code(name), _python(told), about])
    yield from (f"## {kind.__name__}", docstring(kind), table(["attribute", "value", ""], rows))


def _fields(kind: Any) -> Sequence[dataclasses.Field[Any]]:
    return dataclasses.fields(kind)


def _property(made: property) -> tuple[str, str]:
    """What a property gives, and the first paragraph of what it says of itself."""
    about = (made.__doc__ or "").split("\n\n")[0]
    return words(_given(made)), prose(about)


def _python(told: str) -> str:
    for json, python in (("null", "None"), ("true or false", "True or False"), ("list", "tuple")):
        told = told.replace(json, python)
    return told


def words(hint: object) -> str:
    """The values that a type allows."""
    return "; or ".join(_words(hint))


def _words(hint: object) -> Iterator[str]:
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if hint in _WORDS:
        yield _WORDS[hint]
    elif isinstance(hint, type) and dataclasses.is_dataclass(hint):
        yield f"[{hint.__name__}](#{hint.__name__.lower()})"
    elif origin in (typing.Union, types.UnionType):
        # A whole number is a number: said once.
        kinds = [each for each in inner if not (each is int and float in inner)]
        yield from (word for each in kinds for word in _words(each))
    elif origin is Literal:
        yield ", ".join(map(code, inner))
    elif origin in (tuple, list):
        yield f"list of {words(inner[0])}"
    else:
        assert origin in (Mapping, dict), hint
        yield f"mapping of names, each to {words(inner[1])}"
