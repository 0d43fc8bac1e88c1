"""What is wrong with a contract, and where: collected and raised at once."""

from __future__ import annotations

import difflib
import linecache
import os
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Report = Callable[[str], None]
"""Takes one sentence about what is wrong; the reader goes on and finds the next fault.

The sentence follows the field's name. One that begins with "[" says which part of the field.
"""

_MOST_SHOWN = 15
_LINE_WIDTH = 100


@dataclass(frozen=True, slots=True)
class Place:
    """Where a contract, or a part of it, is written.

    `label` says in what: "@compile_contract", "pytest.mark.compile_contract",
    "compilecheck_defaults", "contract file". `line` and `column` are 1-based; `column` counts
    characters and is None where only the line is known.
    """

    file: str
    line: int
    label: str
    column: int | None = None

    def within(self, field: str | None, message: str) -> Place:  # noqa: ARG002 - as FieldPlaces
        """The place of a fault: all fields are in this one."""
        return self


@dataclass(frozen=True, slots=True)
class Places:
    """Where a value and its parts are written.

    `parts` are the items of a list by index and the values of a mapping by key, `keys` the places
    of these keys. `note` tells what a reader of the value may not know, in parentheses.
    """

    place: Place
    parts: Mapping[object, Places] = field(default_factory=dict)
    keys: Mapping[object, Place] = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True, slots=True)
class FieldPlaces:
    """Fields that are written each in a place of its own; `whole` is that of what has them."""

    whole: Place
    fields: Mapping[str, Places]

    @property
    def file(self) -> str:
        """The file of all of them."""
        return self.whole.file

    def within(self, field: str | None, message: str) -> Place:
        """The place of the very part that a message is about."""
        if field is None or field not in self.fields:
            return self.whole
        return place_of(self.fields[field], message)

    def fault(self, field: str, message: str) -> Fault:
        """A fault of a field."""
        return Fault(about(field, message), self.within(field, message))


_STEP = re.compile(r"\[(?:(\d+)|(['\"])(.*?)\2)\]|\.(\w+)")
_NAME = re.compile(r"^(?:: )?(\w+)|'([^']*)'")


# In a file the items of an input stand in a mapping of their own: {tuple: [...]}.
_WRAPPERS = ("tuple", "list", "dict", "arguments")


def place_of(written: Places, message: str) -> Place:
    """The place of the part that a message is about.

    A message begins with the path of the part, as "['S'][1]: expected ...". Behind that the first
    name that is a key of it is looked for, as in "low: expected ..." and "'B S' is no dim name".
    """
    at = 0
    while step := _STEP.match(message, at):
        index, _, key, attribute = step.groups()
        part = _part(written, int(index) if index else key if key is not None else attribute)
        if part is None:
            break
        written, at = part, step.end()
    for name in _NAME.finditer(message[at:]):
        found = name[1] or name[2]
        if found in written.keys:
            return written.parts[found].place if name[1] else written.keys[found]
    return written.place


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong with a contract; `place` is None where it is not known."""

    message: str
    place: Place | None = None


def _part(written: Places, key: object) -> Places | None:
    for parts in (written.parts, *_wrapped(written)):
        if key in parts:
            return parts[key]
    return None


def _wrapped(written: Places) -> list[Mapping[object, Places]]:
    return [written.parts[key].parts for key in _WRAPPERS if key in written.parts]


class ContractError(Exception):
    """A contract cannot be read. Its text lists every fault with its place and source line."""

    def __init__(self, faults: Iterable[Fault], subject: str) -> None:
        """Take the faults and the name of the test that has the contract."""
        self.faults: tuple[Fault, ...] = tuple(faults)
        self.subject = subject
        super().__init__(self.faults, subject)

    def __str__(self) -> str:
        count = len(self.faults)
        noun = "fault" if count == 1 else "faults"
        lines = [f"{count} {noun} in the compile contract of {self.subject}"]
        shown: set[Place] = set()
        for fault in _by_place(self.faults)[:_MOST_SHOWN]:
            lines.append(f"  {_located(fault)}")
            if fault.place and fault.place not in shown:
                shown.add(fault.place)
                lines.extend(f"      {line}" for line in _source(fault.place))
        if count > _MOST_SHOWN:
            lines.append(f"  ... and {count - _MOST_SHOWN} more")
        return "\n".join(lines)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.faults, self.subject)


def about(field: str, message: str) -> str:
    """A fault's message with the field it is about, as "passes: ..." or "shapes['x']: ..."."""
    return f"{field}{message}" if message.startswith("[") else f"{field}: {message}"


def did_you_mean(name: object, candidates: Iterable[str]) -> str:
    """For a message: the candidate nearest to `name`, as in " (did you mean 'seed'?)", or ""."""
    if not isinstance(name, str):
        return ""
    near = difflib.get_close_matches(name, sorted(set(candidates) - {name}), n=1, cutoff=0.7)
    return f" (did you mean {near[0]!r}?)" if near else ""


def _by_place(faults: Sequence[Fault]) -> list[Fault]:
    """Faults of one place side by side, places in the order in which they first come up."""
    order: dict[Place | None, int] = {}
    for fault in faults:
        order.setdefault(fault.place, len(order))
    return sorted(faults, key=lambda fault: order[fault.place])


def _located(fault: Fault) -> str:
    place = fault.place
    if place is None:
        return fault.message
    label = "" if _source(place) else f"{place.label}: "
    column = "" if place.column is None else f":{place.column}"
    return f"{_relative(place.file)}:{place.line}{column}: {label}{fault.message}"


def _source(place: Place) -> list[str]:
    """The line of source at the place, or nothing where it cannot be read; a caret below it."""
    whole = linecache.getline(place.file, place.line)
    line = whole.strip()
    if not line:
        return []
    if place.column is None:
        return [_cut(line)]
    at = place.column - 1 - (len(whole) - len(whole.lstrip()))
    if at > _LINE_WIDTH // 2:  # the caret stays in sight
        cut = at - _LINE_WIDTH // 2
        line, at = "..." + line[cut:], at - cut + 3
    return [_cut(line), " " * _columns(line[: max(at, 0)]) + "^"]


def _cut(line: str) -> str:
    return line if len(line) <= _LINE_WIDTH else line[: _LINE_WIDTH - 3] + "..."


def _columns(text: str) -> int:
    """Columns of a terminal that a text takes."""
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return len(text) + wide - sum(map(bool, map(unicodedata.combining, text)))


def _relative(file: str) -> str:
    """The path as a person in the current directory would type it, if it lies under it."""
    prefix = os.path.join(os.getcwd(), "")
    return file.removeprefix(prefix)
