"""What is wrong with a contract, and where: collected and raised at once."""

from __future__ import annotations

import difflib
import linecache
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
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
    "compilecheck_defaults". `line` is 1-based.
    """

    file: str
    line: int
    label: str


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong with a contract; `place` is None where it is not known."""

    message: str
    place: Place | None = None


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
    return f"{_relative(place.file)}:{place.line}: {label}{fault.message}"


def _source(place: Place) -> list[str]:
    """The line of source at the place, or nothing where it cannot be read."""
    line = linecache.getline(place.file, place.line).strip()
    if len(line) > _LINE_WIDTH:
        line = line[: _LINE_WIDTH - 3] + "..."
    return [line] if line else []


def _relative(file: str) -> str:
    """The path as a person in the current directory would type it, if it lies under it."""
    prefix = os.path.join(os.getcwd(), "")
    return file.removeprefix(prefix)
