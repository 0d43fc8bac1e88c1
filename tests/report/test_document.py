from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_compilecheck.report import document as module
from pytest_compilecheck.report.document import document, write_json
from report.values import observation, record, site


def made(*ids: str, complete: bool = True) -> dict[str, Any]:
    records = [record(id=name, observed=observation(break_sites=(site(),))) for name in ids]
    return document(records, torch="2.13.0", python="3.11.7", complete=complete)


def test_the_document_has_its_versions_and_contracts_by_id() -> None:
    data = made("b.py::t", "a.py::t", complete=False)
    assert {key: data[key] for key in data if key != "contracts"} == {
        "schema": "pytest-compilecheck/1",
        "torch": "2.13.0",
        "python": "3.11.7",
        "complete": False,
    }
    assert [contract["id"] for contract in data["contracts"]] == ["a.py::t", "b.py::t"]
    assert (
        data["contracts"][0]
        == record(id="a.py::t", observed=observation(break_sites=(site(),))).to_dict()
    )


def test_a_run_without_contracts_is_a_document_too() -> None:
    assert made()["contracts"] == []


def test_what_is_written_can_be_read_again(tmp_path: Path) -> None:
    path = tmp_path / "reports" / "deep" / "report.json"
    data = made("tests/test_漢字.py::t")
    write_json(path, data)
    text = path.read_text(encoding="utf-8")
    assert json.loads(text) == data
    assert "漢字" in text
    assert text.startswith('{\n "schema": "pytest-compilecheck/1",\n')
    assert text.endswith("\n}\n")
    assert [each.name for each in path.parent.iterdir()] == ["report.json"]


def test_a_path_that_is_no_utf8_is_written_as_json_escapes_it(tmp_path: Path) -> None:
    write_json(tmp_path / "r.json", {"id": "\udc80.py"})
    assert json.loads((tmp_path / "r.json").read_bytes()) == {"id": "\udc80.py"}


def test_an_old_report_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text("x" * 100_000)
    write_json(str(path), {"schema": 1})
    assert path.read_text() == '{\n "schema": 1\n}\n'


def test_a_write_that_fails_leaves_the_old_report_and_no_remains(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "report.json"
    path.write_text("old")

    def full(source: object, target: object) -> None:
        raise OSError(28, "No space left on device", str(source))

    monkeypatch.setattr(module.os, "replace", full)
    with pytest.raises(OSError, match="No space left on device") as caught:
        write_json(path, {"schema": 1})
    assert caught.value.filename == str(path)
    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["report.json"]


def test_a_path_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    path = tmp_path / "file" / "report.json"
    with pytest.raises(OSError, match="file") as caught:
        write_json(path, made())
    assert caught.value.filename == str(path)


def test_a_directory_in_the_way_is_named(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError) as caught:
        write_json(tmp_path, made())
    assert caught.value.filename == str(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_number_that_json_lacks_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="JSON"):
        write_json(tmp_path / "r.json", {"seconds": float("nan")})
    assert list(tmp_path.iterdir()) == []
