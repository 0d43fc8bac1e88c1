"""The hook for pre-commit: what it picks, and what it runs."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from pytest_compilecheck import cli

FILE = Path(__file__).parents[1] / ".pre-commit-hooks.yaml"
(HOOK,) = yaml.safe_load(FILE.read_text("utf-8"))

GOOD = "version: 1\ncontracts:\n  sine: {target: 'math:sin'}\n"
BAD = "version: 1\ncontracts:\n  sine: {target: 'math:sin', max_recompile: 1}\n"


def commit(folder: Path, files: dict[str, str], capsys: Any) -> tuple[int, str]:
    """As pre-commit does: the entry with the files that fit as arguments; status and messages."""
    program, *arguments = shlex.split(HOOK["entry"])
    assert program == "compilecheck"
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    picked = [name for name in files if re.search(HOOK["files"], name)]
    status = cli.main([*arguments, *picked])
    return status, "".join(capsys.readouterr())


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_good_files_pass_and_others_are_not_looked_at(tmp_path: Path, capsys: Any) -> None:
    files = {"contracts/a.contract.yaml": GOOD, "b.contract.yml": GOOD, "c.yaml": BAD, "d.py": BAD}
    status, told = commit(tmp_path, files, capsys)
    assert status == 0
    assert told == "2 contract files, 2 contracts: no faults\n"


@pytest.mark.parametrize("name", ["contracts/a.contract.yaml", "contracts/a.contract.yml"])
def test_a_bad_file_fails(tmp_path: Path, capsys: Any, name: str) -> None:
    status, told = commit(tmp_path, {name: BAD}, capsys)
    assert status == 1
    assert f"{name}:3:" in told
    assert "did you mean 'max_recompiles'?" in told


def test_it_installs_nothing() -> None:
    assert HOOK["language"] == "system"
    assert "additional_dependencies" not in HOOK
