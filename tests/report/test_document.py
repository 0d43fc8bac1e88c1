from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_compilecheck.report.document import ReportError, json_text, only, read_report
from report.values import observation, record, run, site

DAMAGED = "is a damaged report or one of a newer release, which a new run writes anew:"


def test_what_is_written_can_be_read_again(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    seen = observation(break_sites=(site(),))
    report = run(record(id="a", observed=None), record(id="tests/test_漢字.py::t", observed=seen))
    text = json_text(report)
    path.write_text(text, encoding="utf-8")
    assert read_report(path) == report
    assert "漢字" in text
    assert text.startswith('{\n "schema": "pytest-compilecheck/1",\n')
    assert text.endswith("\n}\n")


def test_a_number_that_json_has_not_is_refused() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        json_text(run(record(contract={"min_hit_rate": float("nan")})))


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"{", "cannot be read: Expecting property name"),
        (b"\xff", "cannot be read: 'utf-8' codec"),
        (b"[]", "is no report of this version"),
        (b'{"schema": "other"}', "is no report of this version"),
        (
            b'{"schema": "pytest-compilecheck/1"}',
            f"{DAMAGED} KeyError: 'torch'",
        ),
        (
            b'{"schema": "pytest-compilecheck/1", "torch": 2}',
            f"{DAMAGED} torch is 2",
        ),
        (b"[" * 100_000, "cannot be read: it is nested too deeply"),
        (b"[NaN]", "cannot be read: it holds NaN, which is no number of JSON"),
        (b"[-Infinity]", "cannot be read: it holds -Infinity, which is no number"),
        (b"[1e999]", "cannot be read: it holds 1e999, which is no number of JSON, or too large"),
        (b"[%s]" % (b"9" * 100_000), "cannot be read: Exceeds the limit"),
    ],
)
def test_what_is_no_report_is_told(tmp_path: Path, content: bytes, told: str) -> None:
    path = tmp_path / "report.json"
    path.write_bytes(content)
    with pytest.raises(ReportError) as caught:
        read_report(path)
    assert told in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match="No such file"):
        read_report(tmp_path / "none.json")


def test_a_file_without_an_end_is_not_read_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_compilecheck.report.document.MOST_BYTES", 1000)
    with pytest.raises(ReportError, match="/dev/zero cannot be read: it has more than 1,000 bytes"):
        read_report(Path("/dev/zero"))


def test_nothing_of_a_message_steers_a_terminal(tmp_path: Path) -> None:
    path = tmp_path / "\x1b[2J.json"
    whole = run(record(packages={"einops": "0.8"})).to_dict()
    whole["contracts"][0]["packages"] = {"\x1b]0;title\x07": 5}
    path.write_text(json.dumps(whole))
    with pytest.raises(ReportError) as caught:
        read_report(path)
    told = (
        rf"\x1b[2J.json {DAMAGED} "
        r"contracts[0].packages.\x1b]0;title\x07 is 5"
    )
    assert str(caught.value).endswith(told)


def test_one_contract_by_any_of_its_names() -> None:
    parts = [record(id="a", part=part, observed=observation()) for part in (None, "one", "two")]
    report = run(*parts, record(id="b", torch="2.8.0"), record(id="c", part="x"), audit=())
    for name, index in [("a", 0), ("a (one)", 1), ("b", 3), ("b [torch 2.8.0]", 3), ("c", 4)]:
        assert only(report, name) == run([*parts, *report.contracts[3:]][index])


def test_a_contract_that_there_is_not_or_not_alone() -> None:
    report = run(record(id="test_it", part="one"), record(id="test_it", part="two"))
    with pytest.raises(ReportError, match=r"no contract is called 'tset_it'"):
        only(report, "tset_it")
    with pytest.raises(
        ReportError, match=r"several .* name one of test_it \(one\), test_it \(two\)"
    ):
        only(report, "test_it")
