from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from pytest_compilecheck.contract.faults import (
    ContractError,
    Fault,
    Place,
    about,
    did_you_mean,
)


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "test_mlp.py"
    path.write_text("import torch\n\n@compile_contract(max_graph_break=0)\ndef test_mlp(): ...\n")
    return path


def test_text_of_an_error(module: Path) -> None:
    place = Place(str(module), 3, "@compile_contract")
    error = ContractError(
        [
            Fault("max_graph_break: a contract has no such field", place),
            Fault("seed: expected a whole number, got 'x'", Place("pytest.ini", 2, "defaults")),
            Fault("passes: expected a whole number, 1 or more, got 0", place),
            Fault("nothing makes the argument 'x'"),
        ],
        "test_mlp",
    )
    assert str(error).splitlines() == [
        "4 faults in the compile contract of test_mlp",
        "  test_mlp.py:3: max_graph_break: a contract has no such field",
        "      @compile_contract(max_graph_break=0)",
        "  test_mlp.py:3: passes: expected a whole number, 1 or more, got 0",
        "  pytest.ini:2: defaults: seed: expected a whole number, got 'x'",
        "  nothing makes the argument 'x'",
    ]


def test_one_fault_is_one_fault() -> None:
    assert str(ContractError([Fault("a")], "test_a")).startswith("1 fault in the compile contract")


def test_a_path_elsewhere_is_given_whole(module: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (module.parent / "deep").mkdir()
    monkeypatch.chdir(module.parent / "deep")
    assert f"  {module}:3: a" in str(ContractError([Fault("a", Place(str(module), 3, ""))], "t"))


def test_a_long_source_line_is_cut(module: Path) -> None:
    module.write_text("x = '" + "y" * 300 + "'\n")
    source = str(ContractError([Fault("a", Place(str(module), 1, ""))], "t")).splitlines()[-1]
    assert len(source) == 106
    assert source.endswith("yyy...")


def test_many_faults_fit_one_screen() -> None:
    error = ContractError([Fault(f"fault {number}") for number in range(40)], "test_a")
    lines = str(error).splitlines()
    assert len(lines) == 17
    assert lines[-1] == "  ... and 25 more"
    assert len(error.faults) == 40


def test_it_survives_pickling() -> None:
    error = ContractError([Fault("a", Place("b.py", 1, "mark")), Fault("c")], "test_a")
    copy = pickle.loads(pickle.dumps(error))
    assert (copy.faults, copy.subject, str(copy)) == (error.faults, "test_a", str(error))


def test_about_a_field_or_a_part_of_it() -> None:
    assert about("passes", "too few") == "passes: too few"
    assert about("shapes", "['x']: no shape") == "shapes['x']: no shape"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("max_recompile", " (did you mean 'max_recompiles'?)"),
        ("sede", " (did you mean 'seed'?)"),
        ("qqq", ""),
        (3, ""),
        ("seed", ""),
    ],
)
def test_did_you_mean(name: object, hint: str) -> None:
    assert did_you_mean(name, ["max_recompiles", "seed"]) == hint
