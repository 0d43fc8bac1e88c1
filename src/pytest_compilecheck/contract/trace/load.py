"""Reads a trace file: its rows, and what is wrong with them."""

from __future__ import annotations

import functools
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Final

from pytest_compilecheck.contract.trace.file import TraceFile
from pytest_compilecheck.contract.trace.rows import BadRowError, CsvRows, JsonRows, Row
from pytest_compilecheck.contract.trace.steps import ChosenSteps, choose_steps
from pytest_compilecheck.contract.trace.table import Table

_JSON_SUFFIXES: Final = (".jsonl", ".ndjson")
_BOM: Final = b"\xef\xbb\xbf"
_LONGEST_LINE: Final = 65_536
_MOST_FAULTS: Final = 5
# Bound the memory: distinct lines whose row is remembered, and distinct rows.
_MOST_KNOWN: Final = 50_000
_MOST_ROWS: Final = 50_000


@dataclass(frozen=True, slots=True)
class LoadedTrace:
    """What a trace file gives: its dims, and sizes and weight of each step; or faults.

    `notes` say what the steps leave out.
    """

    names: tuple[str, ...] = ()
    steps: tuple[tuple[Row, int], ...] = ()
    notes: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()


def load_trace(file: TraceFile, directory: str) -> LoadedTrace:
    """The steps of a trace file; a relative path starts at `directory`.

    Memory does not grow with the file, nor with the number of distinct rows. A file that has not
    changed is read once.
    """
    if file.faults:
        return LoadedTrace(faults=file.faults)
    path = os.path.join(directory, file.path)
    try:
        status = os.stat(path)
        if stat.S_ISDIR(status.st_mode):
            return _refused(file, "is a directory, not a file")
        if not stat.S_ISREG(status.st_mode):  # a pipe would make the run wait for who writes to it
            return _refused(file, "is a device or a pipe, not a file")
        return _load(path, (status.st_mtime_ns, status.st_size), file)
    except FileNotFoundError:
        where = "" if os.path.isabs(file.path) else f" in {os.path.abspath(directory)}"
        return _refused(file, f"there is no such file{where}")
    except OSError as error:
        return _refused(file, f"cannot be read: {error.strerror or error}")


def _refused(file: TraceFile, why: str) -> LoadedTrace:
    return LoadedTrace(faults=(f"{file.path}: {why}",))


@functools.lru_cache(maxsize=16)
def _load(path: str, _changed: tuple[int, int], file: TraceFile) -> LoadedTrace:
    rows = JsonRows() if path.lower().endswith(_JSON_SUFFIXES) else CsvRows()
    table = Table(max(_MOST_ROWS, file.max_steps))
    faults = _Faults(file.path)
    with open(path, "rb") as lines:
        _read_lines(lines, rows, table, faults)
    if faults.lines:
        return LoadedTrace(faults=faults.told())
    if not table.rows:
        return _refused(file, "has no rows: write one for each step")
    entries = table.entries()
    chosen = choose_steps(entries, file.max_steps)
    return LoadedTrace(rows.names, chosen.steps, _notes(file, table, len(entries), chosen))


class _Faults:
    """The first bad rows of a file, and how many there are."""

    def __init__(self, name: str) -> None:
        self.lines: list[str] = []
        self.count = 0
        self._name = name

    def add(self, number: int, why: object) -> None:
        self.count += 1
        if self.count <= _MOST_FAULTS:
            self.lines.append(f"{self._name}:{number}: {why}")

    def told(self) -> tuple[str, ...]:
        more = self.count - len(self.lines)
        if not more:
            return tuple(self.lines)
        return *self.lines[:-1], f"{self.lines[-1]}; and {more} more bad row{'s' * (more > 1)}"


def _read_lines(file: BinaryIO, rows: CsvRows | JsonRows, table: Table, faults: _Faults) -> None:
    """Count each row. Without the names of the dims nothing can be read: then it ends there."""
    known: dict[bytes, tuple[Row, int]] = {}
    for number, line in enumerate(_lines(file), start=1):
        entry = known.get(line)
        if entry is None:
            try:
                entry = _parse(line, rows)
            except BadRowError as error:
                faults.add(number, error)
                if not rows.names or len(line) == _LONGEST_LINE:
                    return
            if entry is None:
                continue
            if len(known) == _MOST_KNOWN:
                known.clear()
            known[line] = entry
        table.add(*entry)


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """Lines without the byte order mark; one that is too long for a row is cut."""
    first = file.readline(_LONGEST_LINE)
    if first:
        yield first.removeprefix(_BOM)
    yield from iter(functools.partial(file.readline, _LONGEST_LINE), b"")


def _parse(line: bytes, rows: CsvRows | JsonRows) -> tuple[Row, int] | None:
    if len(line) == _LONGEST_LINE:
        raise BadRowError(f"is longer than {_LONGEST_LINE} bytes, which no row is")
    try:
        return rows.parse(line.decode())
    except UnicodeDecodeError:
        raise BadRowError("is no UTF-8 text: save the file as UTF-8") from None


def _notes(file: TraceFile, table: Table, distinct: int, chosen: ChosenSteps) -> tuple[str, ...]:
    """One sentence where not every distinct row is a step."""
    kept = len(chosen.steps)
    others = distinct - kept
    if not others and table.factor is None:
        return ()
    text = f"{file.path}: {table.rows} rows, {distinct} distinct sizes"
    if table.factor is not None:
        text += (
            f" after those that differ by a factor of {table.factor:.3g} or less were taken"
            " together, as the largest in each dim"
        )
    text += f"; {kept} kept as {'steps' if kept > 1 else 'a step'}"
    if others:
        share = _percent(chosen.moved / sum(weight for _, weight in chosen.steps))
        text += f", the other {others} ({share} of the requests) {'are' if others > 1 else 'is'}"
        text += " counted with the next larger step"
    if chosen.uncovered:
        text += f", or for {chosen.uncovered} of them, as none is larger, with the nearest"
    return (text,)


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %" if share >= 0.0005 else "less than 0.1 %"
