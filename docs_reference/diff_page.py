"""The page of what `compilecheck diff --json` writes."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal

from docs_reference.docstring import docstring
from docs_reference.markdown import code, page, prose, table
from pytest_compilecheck.codec import json_name
from pytest_compilecheck.judge.comparison import ReportDiff

_ABOUT: Final = """\
What `compilecheck diff A.json B.json --json` writes: one document with the keys of ReportDiff.
Readers ignore keys that they do not know: later releases may add some, and none loses its name or
its meaning. What is None in Python is null here."""

_WORDS: Final[Mapping[object, str]] = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "true or false",
    types.NoneType: "null",
}


def diff_page() -> str:
    """The page."""
    parts = [part for kind in _kinds(ReportDiff) for part in _definition(kind)]
    return page("The differences of two reports", _ABOUT, parts)


def _kinds(kind: type) -> list[type]:
    """A dataclass and those that its values hold, each once, outer to inner."""
    found = [kind]
    for each in found:  # grows while it is gone through
        for hint in typing.get_type_hints(each).values():
            found += [inner for inner in _dataclasses_of(hint) if inner not in found]
    return found


def _dataclasses_of(hint: object) -> Iterator[type]:
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        yield hint
    for inner in typing.get_args(hint):
        yield from _dataclasses_of(inner)


def _definition(kind: Any) -> Iterator[str]:
    yield f"## {kind.__name__}"
    yield docstring(kind)
    hints = typing.get_type_hints(kind)
    names = [field.name for field in dataclasses.fields(kind)]
    rows = [[code(json_name(name)), "; or ".join(_words(hints[name]))] for name in names]
    for name in getattr(kind, "encoded", ()):
        method = vars(kind)[name].fget
        result = typing.get_type_hints(method)["return"]
        about = prose((method.__doc__ or "").split("\n\n")[0])
        rows.append([code(name), f"{'; or '.join(_words(result))}. {about}"])
    yield table(["key", "value"], rows)


def _words(hint: object) -> Iterator[str]:
    """The values that a type allows, in words."""
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
    elif origin is tuple:
        yield f"list of {'; or '.join(_words(inner[0]))}"
    else:
        assert origin is Mapping, hint
        yield f"mapping of names, each to {'; or '.join(_words(inner[1]))}"
