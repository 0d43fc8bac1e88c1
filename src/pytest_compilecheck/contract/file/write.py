"""Writes plain data as the YAML of contract files: what is read again is the same."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from typing import Final

from pytest_compilecheck.contract.file.document import VERSION
from pytest_compilecheck.contract.file.scalars import resolve
from pytest_compilecheck.contract.file.text import UNPRINTABLE

WIDTH: Final = 100
"""Columns of a line; what is longer is folded where it can be."""

_PLAIN: Final = re.compile(r"[A-Za-z_](?:[\w./+ -]*[\w./+-])?", re.ASCII)
# In {} and [] a colon may end a key, whatever follows it.
_PLAIN_IN_BLOCK: Final = re.compile(r"[A-Za-z_](?:(?:[\w./+ -]|:(?=\w))*[\w./+-])?", re.ASCII)
# What ends a line for YAML, or begins a file, what a double-quoted text escapes, what turns the
# direction of writing, and what is not seen.
_ESCAPED: Final = re.compile(
    '["\\\\\t\n\r\x85\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]'
    f"|{UNPRINTABLE.pattern}"
)
_SHORT: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def flow(value: object) -> str:
    """Plain data (None, bool, int, float, str, list, dict) on one line."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(key)}: {flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(flow, value)) + "]"
    return _scalar(value, _PLAIN)


def head(name: str) -> list[str]:
    """The lines above the fields of a contract that is alone in its file."""
    return [f"version: {VERSION}", "contracts:", f"  {flow(name)}:"]


def entry(key: str, value: object, indent: int) -> list[str]:
    """A key of a mapping in block style; its value on the same line where that is short enough."""
    pad = " " * indent
    start = f"{pad}{_key(key)}:"
    inner = value if isinstance(value, (Mapping, list)) else None
    line = f"{start} {_scalar(value, _PLAIN_IN_BLOCK) if inner is None else flow(inner)}"
    if not inner or len(line) <= WIDTH:
        return [line]
    if isinstance(inner, Mapping):
        inside = (entry(name, item, indent + 2) for name, item in inner.items())
        return [start, *(line for lines in inside for line in lines)]
    return [start, *(line for each in inner for line in item(each, indent + 2))]


def item(value: object, indent: int) -> list[str]:
    """An item of a list in block style."""
    pad = " " * indent
    line = f"{pad}- {flow(value)}"
    if not isinstance(value, Mapping) or not value or len(line) <= WIDTH:
        return [line]
    inside = [line for key, each in value.items() for line in entry(key, each, indent + 2)]
    return [f"{pad}- {inside[0].lstrip()}", *inside[1:]]


def comment(text: str, indent: int) -> list[str]:
    """A comment in lines of its own; what cannot stand in YAML is escaped."""
    start = f"{' ' * indent}# "
    return textwrap.wrap(
        _escaped(text),
        WIDTH,
        initial_indent=start,
        subsequent_indent=f"{start}  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def beside(line: str, text: str) -> str | None:
    """A line with a comment at its end; None where both are too long for one."""
    whole = f"{line}  # {_escaped(text)}"
    return whole if len(whole) <= WIDTH else None


def _key(text: str) -> str:
    # `n` and `y` are names of arguments, whatever older dialects take them for.
    plain = _PLAIN.fullmatch(text) and resolve(text, None, plain=True)[0] == text
    return text if plain else f'"{_escaped(text, quoted=True)}"'


def _scalar(value: object, plain: re.Pattern[str]) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value).replace("inf", ".inf").replace("nan", ".nan")
    if not isinstance(value, str):
        return str(value)
    # A text that other dialects of YAML take for something else is written in quotes.
    if plain.fullmatch(value) and resolve(value, None, plain=True) == (value, ""):
        return value
    return f'"{_escaped(value, quoted=True)}"'


def _escaped(text: str, *, quoted: bool = False) -> str:
    def escape(found: re.Match[str]) -> str:
        character = found[0]
        if character in _SHORT:
            return _SHORT[character] if quoted else " " if character.isspace() else character
        return f"\\u{ord(character):04x}"  # none lies beyond the first 65,536

    return _ESCAPED.sub(escape, text)
