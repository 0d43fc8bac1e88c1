from __future__ import annotations

import json
from pathlib import Path

import pytest
from judge.policy_reports import policy, report_of
from report.values import observation, record, run, site

from pytest_compilecheck.cli import main
from pytest_compilecheck.judge.run_report import RunReport
from pytest_compilecheck.report.document import json_text

CLEAN = run(record(observed=observation()))
BROKEN = run(record(observed=observation(break_sites=(site(),)), outcome="failed"))


def write(folder: Path, name: str, report: RunReport) -> str:
    path = folder / name
    path.write_text(json_text(report), encoding="utf-8")
    return str(path)


@pytest.fixture
def clean(tmp_path: Path) -> str:
    return write(tmp_path, "clean.json", CLEAN)


@pytest.fixture
def broken(tmp_path: Path) -> str:
    return write(tmp_path, "broken.json", BROKEN)


def test_the_status_says_whether_anything_is_worse(
    clean: str, broken: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["diff", clean, broken]) == 1
    assert "graph breaks: 1 new" in capsys.readouterr().out
    assert main(["diff", broken, clean]) == 0
    assert "1 better" in capsys.readouterr().out
    assert main(["diff", broken, broken]) == 0


def test_for_machines(clean: str, broken: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "--json", clean, broken]) == 1
    data = json.loads(capsys.readouterr().out)
    (contract,) = data["contracts"]
    assert (data["worse"], contract["worse"], contract["after"]) == (True, True, "failed")
    assert contract["changes"][0]["finding"]["cause"] == "GB0170"


def test_all_that_differs(clean: str, broken: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["diff", broken, clean])
    assert "test_mlp" not in capsys.readouterr().out
    main(["diff", "-v", broken, clean])
    assert "better tests/test_mlp.py::test_mlp" in capsys.readouterr().out


def test_what_cannot_be_read(
    clean: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["diff", clean, str(tmp_path / "none.json")]) == 2
    assert "none.json cannot be read" in capsys.readouterr().err


def test_a_dearer_policy_is_told_and_only_one_that_runs_wrong_is_worse(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    usual = write(tmp_path, "usual.json", report_of(policy("auto")))
    dear = write(tmp_path, "dear.json", report_of(policy("auto", 9.0)))
    wrong = write(tmp_path, "wrong.json", report_of(policy("auto", error="it hung")))
    assert main(["diff", usual, dear]) == 0
    assert "policy auto: costs 2.38 s -> 18.4 s (+672%)" in capsys.readouterr().out
    assert main(["diff", usual, wrong]) == 1
    capsys.readouterr()
    assert main(["diff", "--json", dear, usual]) == 0
    (contract,) = json.loads(capsys.readouterr().out)["contracts"]
    (cost,) = contract["policies"]["costs"]
    assert (cost["policy"], cost["quantity"]) == ("auto", "total")
    assert cost["before"] > cost["after"]
