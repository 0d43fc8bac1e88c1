"""docs/security.md: its numbers are those of the code; its other statements are held beside this.

What is run and sent, and where it is written: test_run.py and test_source.py. What commands do with
reports of strangers: test_reports.py. Files and locks: tests/test_files.py and
tests/baseline/test_store.py. Escapes of a format: the tests of the format in tests/report/.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_compilecheck.baseline import file as baseline
from pytest_compilecheck.cli import main
from pytest_compilecheck.contract.file import compose, extends, matrix, text
from pytest_compilecheck.contract.trace import load as trace_load
from pytest_compilecheck.report import document
from pytest_compilecheck.report.parts import snippet

PAGE = (Path(__file__).parents[2] / "docs" / "security.md").read_text("utf-8")
ROWS = dict(re.findall(r"^\| (.+?) \| (.+?) \|$", PAGE, re.MULTILINE))


@pytest.mark.parametrize(
    ("what", "numbers"),
    [
        (
            "a contract file",
            (text.MOST_BYTES, compose._MOST_NODES, compose._DEEPEST, matrix.MOST_CELLS),
        ),
        ("a chain of `extends`", (extends._LONGEST,)),
        ("a baseline", (baseline._MOST_BYTES, baseline._MOST_VALUES)),
        ("a trace file", (trace_load._LONGEST_LINE, trace_load._MOST_ROWS)),
        ("a JSON report", (document.MOST_BYTES,)),
        ("source around a break", (snippet._MOST_BYTES,)),
    ],
)
def test_numbers_are_those_of_the_code(what: str, numbers: tuple[int, ...]) -> None:
    assert re.findall(r"[0-9][0-9,]*", ROWS[what]) == [f"{number:,}" for number in numbers]


def test_it_names_every_bound() -> None:
    assert len(ROWS) == 7  # with the heading
    assert (snippet._BEFORE, snippet._AFTER) == (2, 1)
    assert "two lines before and one after" in ROWS["source around a break"]


@pytest.mark.parametrize(
    "command",
    [
        "render r.json --to html",
        "merge r.json -o out.json",
        "diff r.json r.json",
        "suggest r.json",
        "baseline b.yaml r.json",
        "baseline bad.yaml r.json",
    ],
)
def test_what_is_no_report_ends_with_2(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("r.json").write_text("[" * 100_000)
    Path("b.yaml").write_text("version: 1\n")
    Path("bad.yaml").write_text("[" * 100_000)
    assert main(command.split()) == 2
    said = capsys.readouterr()
    assert said.err.startswith("compilecheck: ")
    assert said.out == ""
