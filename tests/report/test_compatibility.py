"""What docs/compatibility.md promises of the JSON report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from pytest_compilecheck.cli import main
from pytest_compilecheck.judge.run_report import SCHEMA, RunReport
from pytest_compilecheck.report.document import ReportError, json_text, read_report, schema
from pytest_compilecheck.report.formats import FORMATS
from report.values import entry, observation, record, run, site

STORED = sorted((Path(__file__).parents[1] / "adopting").glob("*.json"))
"""Reports as the code of their day wrote them."""
TEXTS = [name for name in FORMATS if name not in ("svg", "png", "pdf")]  # those are of one contract


def grown(data: Any) -> Any:
    """A report with a key more in each object; keys of `sizes` and `packages` are the user's."""
    if isinstance(data, list):
        return [grown(each) for each in data]
    if isinstance(data, dict):
        kept = ("sizes", "packages")
        values = {key: each if key in kept else grown(each) for key, each in data.items()}
        return {"later": 1, **values}
    return data


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """A report in a file."""
    seen = observation(break_sites=(site(),), timeline=(entry(0, sizes={}),))
    path = tmp_path / "report.json"
    path.write_text(json_text(run(record(id="a", observed=seen))), "utf-8")
    return path


def changed(path: Path, change: Any) -> Path:
    data = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps(change(data)), "utf-8")
    return path


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.name)
def test_an_older_report_is_valid_read_rendered_merged_and_compared(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = json.loads(path.read_text("utf-8"))
    assert "paths" not in data  # it is of before that key
    jsonschema.Draft202012Validator(schema()).validate(data)
    report = read_report(path)
    assert len(report.contracts) == len(data["contracts"]) > 0
    for name in TEXTS:
        assert FORMATS[name].render(report)
    out = tmp_path / "out.json"
    assert main(["merge", str(path), str(path), "-o", str(out)]) == 0
    assert main(["diff", str(path), str(out)]) == 0
    assert "the findings are the same" in capsys.readouterr().out


def test_keys_of_a_later_release_are_ignored_and_not_written_again(
    written: Path, tmp_path: Path
) -> None:
    before = read_report(written)
    later = changed(written, grown)
    seen = read_report(later)
    assert without_contracts(seen) == without_contracts(before)
    out = tmp_path / "out.json"
    assert main(["merge", str(later), "-o", str(out)]) == 0
    again = json.loads(out.read_text("utf-8"))
    assert "later" not in again
    assert "later" not in again["contracts"][0]["observed"]
    assert again["contracts"][0]["contract"]["later"] == 1  # a contract is kept as it is


def without_contracts(report: RunReport) -> list[Any]:
    """What a report says beside the contracts, which are kept as they are written."""
    records = [(each.id, each.outcome, each.verdict, each.observed) for each in report.contracts]
    return [report.torch, report.complete, report.missing, records]


def test_a_value_that_is_not_listed_is_refused_with_its_place(written: Path) -> None:
    def change(data: dict[str, Any]) -> dict[str, Any]:
        data["contracts"][0]["observed"]["timeline"][0]["kind"] = "replayed"
        return data

    with pytest.raises(ReportError, match=r"one of a newer release.*timeline\[0\].kind is 'repl"):
        read_report(changed(written, change))


COMMANDS = (
    ["render", "r.json", "--to", "markdown"],
    ["merge", "r.json", "-o", "out.json"],
    ["diff", "r.json", "r.json"],
    ["suggest", "r.json"],
)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_another_number_is_refused_by_every_command(
    command: list[str],
    written: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(written.parent)
    changed(written, lambda data: {**data, "schema": "pytest-compilecheck/2"}).rename("r.json")
    assert main(command) == 2
    assert (
        f"r.json is no report of this version ({SCHEMA}), but of 'pytest-compilecheck/2',"
        " which the release that wrote it reads: write one with"
    ) in capsys.readouterr().err
