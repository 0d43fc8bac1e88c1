"""An exception in one line, for a report."""

from __future__ import annotations

from pytest_compilecheck.observe.reason_text import without_addresses


def told(error: BaseException) -> str:
    """ "Type: first line of the message", without addresses; the type alone for no message.

    The second line too where the first only announces it ("backend='inductor' raised:").
    """
    first_line, *rest = without_addresses(str(error)).strip().splitlines() or [""]
    if first_line.endswith(":") and rest:
        first_line = f"{first_line} {rest[0].strip()}"
    return f"{type(error).__name__}: {first_line}" if first_line else type(error).__name__
