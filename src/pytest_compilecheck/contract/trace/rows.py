"""Lines of a trace file, as CSV and as JSON, to sizes and counts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from pytest_compilecheck.contract.faults import did_you_mean
from pytest_compilecheck.contract.parsers import is_whole
from pytest_compilecheck.contract.plain import shown

Row = tuple[int, ...]
"""One size for each dim, in the order of the file's columns."""

COUNT: Final = "count"
"""The column that weights a row."""

# Sizes and counts beyond the int64 of torch are mistakes.
_LARGEST: Final = 2**63 - 1
_DIGITS: Final = len(str(_LARGEST))

_DECODER: Final = json.JSONDecoder(object_pairs_hook=tuple)


class BadRowError(Exception):
    """A line that cannot be read as a row; its text says why."""


class CsvRows:
    """Rows of a CSV file: numbers with commas between them, below a header of names.

    `names` are those of the dims, known once the header was parsed.
    """

    def __init__(self) -> None:
        self.names: tuple[str, ...] = ()
        self._columns: tuple[str, ...] = ()

    def parse(self, line: str) -> tuple[Row, int] | None:
        """Sizes and count of a line; None for the header, a comment and a blank line.

        Raises:
            BadRowError: the line is none of these.
        """
        text = line.partition("#")[0]
        if not text or text.isspace():
            return None
        cells = text.split(",")
        if not self.names:
            columns = tuple(cell.strip() for cell in cells)
            self.names, self._columns = _dims_among(columns, _HEADER), columns
            return None
        if len(cells) != len(self._columns):
            raise BadRowError(
                f"expected {len(self._columns)} cells ({', '.join(self._columns)}), "
                f"got {len(cells)}: {shown(text.strip())}"
            )
        numbers = [_number(*cell) for cell in zip(self._columns, cells, strict=True)]
        count = numbers.pop(self._columns.index(COUNT)) if COUNT in self._columns else 1
        return tuple(numbers), count


class JsonRows:
    """Rows of a file of JSON lines: objects with the same keys, `count` where it is not 1.

    `names` are those of the dims, known once the first row was parsed.
    """

    def __init__(self) -> None:
        self.names: tuple[str, ...] = ()
        self._good_keys: tuple[str, ...] = ()  # those of the last good row

    def parse(self, line: str) -> tuple[Row, int] | None:
        """Sizes and count of a line; None for a comment and a blank line.

        Raises:
            BadRowError: the line is none of these.
        """
        text = line.strip()
        if not text or text.startswith("#"):
            return None
        cells = _json_object(text)
        keys = tuple([key for key, _ in cells])
        if not self.names:
            self.names = _dims_among(keys, _FIRST_OBJECT)
        if keys != self._good_keys:
            self._check_keys(keys)
            self._good_keys = keys
        numbers = {
            key: _checked(key, value if is_whole(value) else None, value) for key, value in cells
        }
        count = numbers.pop(COUNT, 1)
        return tuple([numbers[name] for name in self.names]), count

    def _check_keys(self, keys: Sequence[str]) -> None:
        for key in keys:
            if keys.count(key) > 1:
                raise BadRowError(f"the key {shown(key)} is there twice: leave one out")
            if key not in (*self.names, COUNT):
                hint = did_you_mean(key, self.names)
                raise BadRowError(f"the key {shown(key)} is not in the first row{hint}")
        for name in self.names:
            if name not in keys:
                raise BadRowError(f"the key {name!r} is missing, which the first row has")


_HEADER: Final = "the first line names the columns, as in B,S,count"
_FIRST_OBJECT: Final = 'a row is an object such as {"B": 8, "S": 128, "count": 3}'


def _dims_among(columns: Sequence[str], example: str) -> tuple[str, ...]:
    """The columns that are dims."""
    for name in columns:
        if not name.isidentifier():
            raise BadRowError(f"{shown(name)} is no dim name: {example}")
        if columns.count(name) > 1:
            raise BadRowError(f"the column {name!r} is there twice: leave one out")
    names = tuple(name for name in columns if name != COUNT)
    if not names:
        raise BadRowError(f"there is no dim beside {COUNT}: {example}" if columns else example)
    return names


def _json_object(text: str) -> tuple[tuple[str, Any], ...]:
    try:
        found = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise BadRowError(f"no JSON: {error.msg}, at column {error.colno}") from None
    except (ValueError, RecursionError):
        raise BadRowError("no row: a number is too long, or lists are nested too deep") from None
    if not isinstance(found, tuple):  # an object, by the decoder's hook
        raise BadRowError(f"{_FIRST_OBJECT}, got {shown(found)}")
    return found


def _number(column: str, cell: str) -> int:
    """The number of a CSV cell."""
    digits = cell.strip()
    # int() would also take underscores, and digits of other scripts.
    plain = digits.isascii() and digits.isdigit() and len(digits) <= _DIGITS
    return _checked(column, int(digits) if plain else None, digits)


def _checked(column: str, number: int | None, written: object) -> int:
    """The number, if the column can have it; None is no number."""
    low = 1 if column == COUNT else 0
    if number is None or not low <= number <= _LARGEST:
        raise BadRowError(f"{column}: expected a whole number, {low} or more, got {shown(written)}")
    return number
