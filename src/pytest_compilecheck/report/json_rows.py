"""JSON of large lists: an entry on each line, made one after the other."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Final

from pytest_compilecheck.report.wording import STEERS

# What is encoded is made for it, and is no circle.
_ENCODE: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, check_circular=False).encode


def encoded(value: object) -> str:
    """A value as JSON on one line; what steers a terminal stands as an escape.

    Raises:
        ValueError: a number is not finite, which JSON has not.
    """
    told = _ENCODE(value)
    if told.isascii() and "\x7f" not in told:  # JSON has an escape for all others that steer
        return told
    return STEERS.sub(lambda found: _escape(ord(found[0])), told)


def _escape(code: int) -> str:
    """How JSON writes a character: as two halves where it lies beyond the first 65,536."""
    if code < 0x10000:
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"


def rows(entries: Iterable[object], indent: str = "") -> Iterator[str]:
    """The pieces of a list with a line for each entry, whose data is needed for its piece alone."""
    start = f"[\n{indent} "
    is_empty = True
    for entry in entries:
        yield start if is_empty else f",\n{indent} "
        yield encoded(entry)
        is_empty = False
    yield "[]" if is_empty else f"\n{indent}]"
