"""The page of what `compilecheck diff --json` writes."""

from __future__ import annotations

from typing import Final

from docs_reference.dataclass_tables import as_json, kinds_within
from docs_reference.markdown import page
from pytest_compilecheck.judge.comparison import ReportDiff

_ABOUT: Final = """\
What `compilecheck diff A.json B.json --json` writes: one document with the keys of ReportDiff.
Readers ignore keys that they do not know: later releases may add some, and none loses its name or
its meaning. What is None in Python is null here."""


def diff_page() -> str:
    """The page."""
    parts = [part for kind in kinds_within(ReportDiff) for part in as_json(kind)]
    return page("The differences of two reports", _ABOUT, parts)
