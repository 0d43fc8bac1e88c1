from __future__ import annotations

from pathlib import Path

import pytest
from report.values import observation, record, run, site

from pytest_compilecheck.cli import main
from pytest_compilecheck.judge.run_report import RunReport
from pytest_compilecheck.report.document import json_text, read_report

A = record(id="a.py::a", observed=observation())
B = record(id="a.py::b", observed=observation())
HALVES = run(A, left_out=("a.py::b",)), run(B, left_out=("a.py::a",))


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out.json"


def merge(out: Path, *reports: RunReport, options: tuple[str, ...] = ()) -> int:
    paths = []
    for number, report in enumerate(reports, 1):
        paths.append(str(out.with_name(f"{number}.json")))
        Path(paths[-1]).write_text(json_text(report), encoding="utf-8")
    return main(["merge", *paths, "-o", str(out), *options])


def test_all_shards(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert merge(out, *HALVES) == 0
    assert read_report(out) == run(A, B)
    assert capsys.readouterr().err == f"compilecheck: {out} is written: 2 contracts\n"


def test_a_shard_is_forgotten(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert merge(out, HALVES[0]) == 1
    assert read_report(out).missing == ("a.py::b",)
    assert capsys.readouterr().err.splitlines() == [
        f"compilecheck: {out} is written: 1 contract",
        "compilecheck: incomplete: 1 contract did not run to the end: a.py::b",
    ]


def test_a_shard_that_was_stopped(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert merge(out, run(A, complete=False), HALVES[1]) == 1
    assert "1.json is not complete itself: run its part to the end" in capsys.readouterr().err


def test_reports_that_do_not_fit(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = record(id="a.py::a", observed=observation(break_sites=(site(),)), outcome="failed")
    assert merge(out, run(A), run(other)) == 2
    assert "saw different things of a.py::a" in capsys.readouterr().err
    assert not out.exists()
    assert merge(out, run(A), run(other), options=("--worst",)) == 0
    assert read_report(out).contracts == (other,)


def test_releases_of_torch(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reports = run(A), run(A, torch="2.15.0", python="3.13.1")
    assert merge(out, *reports) == 2
    assert "--mixed-torch" in capsys.readouterr().err
    assert merge(out, *reports, options=("--mixed-torch",)) == 0
    assert len(read_report(out).contracts) == 2
    assert "of different Pythons: 3.11.7, 3.13.1" in capsys.readouterr().err


def test_what_cannot_be_read_or_written(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["merge", str(out), "-o", str(out)]) == 2
    assert "out.json cannot be read" in capsys.readouterr().err
    merge(out, run(A))
    below = str(out / "below.json")
    assert main(["merge", str(out), "-o", below]) == 2
    assert "below.json" in capsys.readouterr().err
