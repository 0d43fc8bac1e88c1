"""What is wrong with a contract, and where: collected and raised at once."""

from __future__ import annotations

import difflib
import linecache
import os
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

Report = Callable[[str], None]
"""Takes one sentence about what is wrong; the reader goes on and finds the next fault.

The sentence follows the field's name. One that begins with "[" says which part of the field.
"""

_MOST_SHOWN = 15
_LINE_WIDTH = 100
_MESSAGE_WIDTH = 500
_WITHOUT_WIDTH = ("Mn", "Me", "Cf", "Cc")  # marks on the character before, joiners, controls


@dataclass(frozen=True, slots=True)
class Place:
    """Where a contract, or a part of it, is written.

    `label` says in what: "@compile_contract", "pytest.mark.compile_contract",
    "compilecheck_defaults", "contract file". `line` and `column` are 1-based; `column` counts
    characters and is None where only the line is known. `source` is the text of the line, None
    where it is still to be read from the file.
    """

    file: str
    line: int
    label: str
    column: int | None = None
    source: str | None = field(default=None, compare=False, repr=False)

    def fault(self, field: str | None, message: str) -> Fault:
        """A fault of a field that is written here; None where it is in no single one."""
        return Fault(about(field, message) if field else message, self)


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong with a contract; `place` is None where it is not known."""

    message: str
    place: Place | None = None


class ContractError(Exception):
    """A contract cannot be read. Its text lists every fault with its place and source line."""

    def __init__(self, faults: Iterable[Fault], subject: str) -> None:
        """Take the faults and the name of the test, or the file, that has the contract."""
        self.faults: tuple[Fault, ...] = tuple(faults)
        self.subject = subject
        super().__init__(self.faults, subject)

    def __str__(self) -> str:
        count = len(self.faults)
        noun = "fault" if count == 1 else "faults"
        lines = [f"{count} {noun} in the compile contract of {_escaped(_relative(self.subject))}"]
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


def inside(part: str, report: Report) -> Report:
    """A report of faults in a part of the value, such as "[0]" or "['x']"."""
    return lambda message: report(about(part, message))


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
    message = fault.message
    if len(message) > _MESSAGE_WIDTH:
        message = f"{message[:_MESSAGE_WIDTH]}..."
    if place is None:
        return _escaped(message)
    label = "" if _source(place) else f"{place.label}: "
    column = "" if place.column is None else f":{place.column}"
    return _escaped(f"{_relative(place.file)}:{place.line}{column}: {label}{message}")


def _source(place: Place) -> list[str]:
    """The line of source at the place, or nothing where it cannot be read; a caret below it."""
    whole = place.source
    if whole is None:
        whole = linecache.getline(place.file, place.line)
    line = whole.strip().replace("\t", " ")  # of a tab nobody knows how wide it is shown
    if not line:
        return []
    if place.column is None:
        return [_cut(line)]
    at = place.column - 1 - (len(whole) - len(whole.lstrip()))
    if at > _LINE_WIDTH // 2:  # the caret stays in sight
        cut = at - _LINE_WIDTH // 2
        line, at = "..." + line[cut:], at - cut + 3
    return [_cut(line), " " * _columns(line[: max(at, 0)]) + "^"]


def _escaped(text: str) -> str:
    """A text in one line: control characters, as a name or a path may have them, are escaped."""
    return "".join(each if each.isprintable() else repr(each)[1:-1] for each in text)


def _cut(line: str) -> str:
    line = line if len(line) <= _LINE_WIDTH else line[: _LINE_WIDTH - 3] + "..."
    return "".join(each if each.isprintable() else " " * _columns(each) for each in line)


def _columns(text: str) -> int:
    """Columns of a terminal that a text takes."""
    shown = [each for each in text if unicodedata.category(each) not in _WITHOUT_WIDTH]
    return len(shown) + sum(unicodedata.east_asian_width(each) in "WF" for each in shown)


def _relative(file: str) -> str:
    """The path as a person in the current directory would type it, if it lies under it."""
    prefix = os.path.join(os.getcwd(), "")
    return file.removeprefix(prefix)
