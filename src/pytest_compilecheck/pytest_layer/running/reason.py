"""Why a test was skipped, or is expected to fail: pytest's report has it in several shapes."""

from __future__ import annotations

from typing import Final

import pytest

_SKIPPED: Final = "Skipped: "
_IMPERATIVE: Final = "reason: "
_STRICT: Final = "[XPASS(strict)]"


def reason_of(report: pytest.TestReport) -> str | None:
    """What the author gave as the reason, "" where that is nothing; None if it is neither."""
    if hasattr(report, "wasxfail"):  # of pytest.xfail() with a word before it
        return str(report.wasxfail).removeprefix(_IMPERATIVE)
    told = report.longrepr
    if report.skipped:  # (file, line, message)
        return str(told[2]).removeprefix(_SKIPPED) if isinstance(told, tuple) else ""
    if report.failed and isinstance(told, str) and told.startswith(_STRICT):
        return told.removeprefix(_STRICT).strip()
    return None
