"""Exceptions: the one in flight, and any in one line for a report."""

from __future__ import annotations

import sys
from itertools import takewhile
from typing import Final

from pytest_compilecheck.observe.reason_text import without_addresses

if sys.version_info >= (3, 11):
    from sys import exception as error_in_flight  # a fifth of the time
else:

    def error_in_flight() -> BaseException | None:
        """The exception that is being handled."""
        return sys.exc_info()[1]


_WHERE: Final = "from user code:"
"""What Dynamo puts before the frames that it adds to a message (torch/_dynamo/exc.py)."""


def message_of(error: BaseException) -> str:
    """The message of an exception, whose class is anybody's and may have none that can be read."""
    try:
        return str(error)
    except Exception as failure:  # noqa: BLE001 - it is told instead of the message
        return f"its message cannot be read: __str__ raised {type(failure).__name__}"


def told(error: BaseException) -> str:
    """ "Type: first line of the message", without addresses; the type alone for no message.

    The second line too where the first only announces it ("backend='inductor' raised:"). Where
    Dynamo gives nothing but frames, as torch 2.8 for an assert, the line of code that raised it.
    """
    first_line, *rest = without_addresses(message_of(error)).strip().splitlines() or [""]
    if first_line == _WHERE:
        *_, first_line = [first_line, *map(str.strip, takewhile(str.strip, rest))]
    elif first_line.endswith(":") and rest:
        first_line = f"{first_line} {rest[0].strip()}"
    return f"{type(error).__name__}: {first_line}" if first_line else type(error).__name__


def unseen_error() -> RuntimeError:
    """What stands for an error with which torch ended a call and that its caller caught."""
    return RuntimeError("torch ended the call with an error")
