"""An exception in one line, for a report."""

from __future__ import annotations

from pytest_compilecheck.observe.reason_text import without_addresses


def told(error: BaseException) -> str:
    """ "Type: first line of the message", without addresses; the type alone for no message."""
    first_line = next(iter(without_addresses(str(error)).strip().splitlines()), "")
    return f"{type(error).__name__}: {first_line}" if first_line else type(error).__name__
