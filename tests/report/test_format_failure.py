from __future__ import annotations

from pathlib import Path

import pytest

from pytest_compilecheck.judge.run_report import RunReport
from pytest_compilecheck.report.format_failure import failure_text
from pytest_compilecheck.report.formats import FORMATS, Format
from report.test_installed_formats import install
from report.values import run


def sheet(report: RunReport) -> str:
    return _cell(report)


def _cell(report: RunReport) -> str:
    raise KeyError("violations")


def told(name: str, failed: Format) -> str:
    with pytest.raises(Exception) as raised:  # noqa: PT011 - of a renderer
        failed.render(run())
    return failure_text(name, failed, raised.value, "why")


def test_the_line_of_the_renderer() -> None:
    line = _cell.__code__.co_firstlineno + 1
    text = f"the sheet report could not be made: why ({__file__}:{line})"
    assert told("sheet", Format("a sheet", sheet)) == text


def test_a_wrong_answer_has_the_beginning_of_the_renderer() -> None:
    def nothing(report: RunReport) -> None: ...

    place = f"({__file__}:{nothing.__code__.co_firstlineno})"
    failed = Format("none", nothing)  # type: ignore[arg-type]
    assert told("none", failed).endswith(f"why {place}")


def test_the_package_of_an_entry_point(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, "acme-reports")
    monkeypatch.syspath_prepend(tmp_path)
    text = told("lines", Format("lines", sheet))
    assert text.startswith("the lines report of the package acme-reports could not be made: why (")


def test_a_built_in_one_has_no_place() -> None:
    assert told("svg", FORMATS["svg"]) == "the svg report could not be made: why"
