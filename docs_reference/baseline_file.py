"""The page of the baseline's file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from docs_reference.markdown import code, fence, page, prose, table
from pytest_compilecheck.baseline.file import ENTRY_KEYS, FILE_KEYS, RECORDED_KEYS, text_of
from pytest_compilecheck.baseline.known import Baseline, Entry, Recorded
from pytest_compilecheck.judge.findings import Finding

_ABOUT: Final = """\
What `--compilecheck-update` and `compilecheck baseline --update` write; [A
baseline](../baseline.md) shows how it is used. Each item is one line of JSON, which is YAML too,
and lines are sorted."""


def baseline_file_page() -> str:
    """The page."""
    parts = [
        fence("yaml", example(), "baseline"),
        _table("key", FILE_KEYS),
        "## An item of recorded",
        _table("key", RECORDED_KEYS),
        "## An item of known",
        _table("key", ENTRY_KEYS),
    ]
    return page("The file of a baseline", _ABOUT, parts)


def example() -> str:
    """A file as it is written."""
    finding = Finding("test_it.py::test_it", "graph_break", "model.py", "forward", "GB0059")
    entry = Entry(finding, {"2.13": 2}, "prints its progress")
    recorded = {"2.13": Recorded("2.13.0", {"transformers": "5.24.0"})}
    return text_of(Baseline.of([entry], recorded), "known.yaml")


def _table(heading: str, keys: Mapping[str, str]) -> str:
    rows = [[code(name), prose(about)] for name, about in keys.items()]
    return table([heading, "meaning"], rows)
