"""Exceptions: the one in flight, and any in one line for a report."""

from __future__ import annotations

import sys

from pytest_compilecheck.observe.reason_text import without_addresses

if sys.version_info >= (3, 11):
    from sys import exception as error_in_flight  # a fifth of the time
else:

    def error_in_flight() -> BaseException | None:
        """The exception that is being handled."""
        return sys.exc_info()[1]


def told(error: BaseException) -> str:
    """ "Type: first line of the message", without addresses; the type alone for no message.

    The second line too where the first only announces it ("backend='inductor' raised:").
    """
    first_line, *rest = without_addresses(str(error)).strip().splitlines() or [""]
    if first_line.endswith(":") and rest:
        first_line = f"{first_line} {rest[0].strip()}"
    return f"{type(error).__name__}: {first_line}" if first_line else type(error).__name__


def unseen_error() -> RuntimeError:
    """What stands for an error with which torch ended a call and that its caller caught."""
    return RuntimeError("torch ended the call with an error")
