"""Says why a command did nothing."""

from __future__ import annotations

import sys


def refused(why: object) -> int:
    """Write a reason to stderr; gives the exit status of a command that could not do its work."""
    from pytest_compilecheck.report.wording import printable_lines

    sys.stderr.write(f"compilecheck: {printable_lines(str(why))}\n")
    return 2
