"""Contract files in folders, and what is meant as one and has another name."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pytest_compilecheck.contract.file.find import contract_files, makes_contracts, misnamed

GOOD = "version: 1\ncontracts:\n  one: {target: a:b}\n"
BASE = "version: 1\ncontracts:\n  _base: {target: a:b}\n"


def files(folder: Path, *names: str, text: str = GOOD) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def test_folders_are_searched(tmp_path: Path) -> None:
    files(tmp_path, "b.contract.yaml", "a.contract.yml", "deep/er/c.contract.yaml", "other.yaml")
    files(tmp_path, ".hidden/x.contract.yaml", "lib/site-packages/x.contract.yaml")
    files(tmp_path, "node_modules/x.contract.yaml", "__pycache__/x.contract.yaml")
    found = [Path(file).relative_to(tmp_path).as_posix() for file in contract_files(str(tmp_path))]
    assert found == ["a.contract.yml", "b.contract.yaml", "deep/er/c.contract.yaml"]


def test_what_is_no_file_is_passed_over(tmp_path: Path) -> None:
    files(tmp_path, "a.contract.yaml")
    os.mkfifo(tmp_path / "pipe.contract.yaml")
    os.mkfifo(tmp_path / "pipe.yaml")
    (tmp_path / "folder.contract.yaml").mkdir()
    assert contract_files(str(tmp_path)) == [str(tmp_path / "a.contract.yaml")]
    assert misnamed(contract_files(str(tmp_path))) == []


@pytest.mark.parametrize(
    ("text", "makes"),
    [
        (GOOD, True),
        ("contracts: {one: {target: 3}}", True),
        ("contracts: [", True),
        (BASE, False),
        ("a: {contracts: 1}", False),
        ("", False),
    ],
)
def test_a_base_for_others_makes_no_contract(tmp_path: Path, text: str, makes: bool) -> None:
    files(tmp_path, "it.yaml", text=text)
    assert makes_contracts(str(tmp_path / "it.yaml")) is makes


def test_only_what_lies_beside_contract_files_is_misnamed(tmp_path: Path) -> None:
    files(tmp_path, "with/a.contract.yaml", "with/b.yaml", "with/c.yml", "without/d.yaml")
    files(tmp_path, "with/base.yaml", text=BASE)
    beside = misnamed(contract_files(str(tmp_path)))
    found = [Path(file).relative_to(tmp_path).as_posix() for file in beside]
    assert found == ["with/b.yaml", "with/c.yml"]
