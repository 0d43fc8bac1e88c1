"""The hook for pre-commit: what it picks, and what it runs."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from pytest_compilecheck import cli

FILE = Path(__file__).parents[1] / ".pre-commit-hooks.yaml"
(HOOK,) = yaml.safe_load(FILE.read_text("utf-8"))

GOOD = "version: 1\ncontracts:\n  sine: {target: 'math:sin'}\n"
BAD = "version: 1\ncontracts:\n  sine: {target: 'math:sin', max_recompile: 1}\n"


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def commit(names: Sequence[str], capsys: Any) -> tuple[int, str]:
    """As pre-commit does where one of the files that change fits; status and messages."""
    if not any(re.search(HOOK["files"], name) for name in names):
        return 0, "(no files to check)Skipped"
    program, *arguments = shlex.split(HOOK["entry"])
    assert program == "compilecheck"
    assert HOOK["pass_filenames"] is False
    status = cli.main([*arguments, *HOOK.get("args", [])])
    return status, "".join(capsys.readouterr())


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_good_files_pass_and_others_are_not_looked_at(tmp_path: Path, capsys: Any) -> None:
    write(tmp_path, {"contracts/a.contract.yaml": GOOD, "contracts/b.contract.yml": GOOD})
    write(tmp_path, {"c.contract.yaml": BAD, "d.py": BAD})
    status, told = commit(["contracts/a.contract.yaml"], capsys)
    assert (status, told) == (0, "2 contract files, 2 contracts: no faults\n")
    assert commit(["c.contract.yaml", "d.py", "other/contracts.py"], capsys)[1].endswith("Skipped")


@pytest.mark.parametrize("name", ["contracts/a.contract.yaml", "contracts/deep/a.contract.yml"])
def test_a_bad_file_fails(tmp_path: Path, capsys: Any, name: str) -> None:
    write(tmp_path, {name: BAD})
    status, told = commit([name], capsys)
    assert status == 1
    assert f"{name}:3:" in told
    assert "did you mean 'max_recompiles'?" in told


SIZED = """
version: 1
contracts:
  sine:
    extends: bases.yaml::_sine
    inputs: {x: "B S"}
    dims: {trace_file: sizes.csv}
"""
BASE = "version: 1\ncontracts:\n  _sine: {target: 'math:sin'}\n"


@pytest.mark.parametrize(
    ("changed", "text", "told"),
    [
        ("contracts/sizes.csv", "B,T\n1,2\n", "'S'"),
        ("contracts/bases.yaml", BASE.replace("_sine", "_cosine"), "_sine"),
    ],
)
def test_what_contract_files_rest_on_is_checked_too(
    tmp_path: Path, capsys: Any, changed: str, text: str, told: str
) -> None:
    sizes = {"contracts/sizes.csv": "B,S\n1,2\n", "contracts/bases.yaml": BASE}
    write(tmp_path, {"contracts/a.contract.yaml": SIZED, **sizes})
    assert commit([changed], capsys)[0] == 0
    write(tmp_path, {changed: text})
    status, messages = commit([changed], capsys)
    assert status == 1
    assert told in messages


def test_it_installs_nothing() -> None:
    assert HOOK["language"] == "system"
    assert "additional_dependencies" not in HOOK
