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


def shown_at(source: str, column: int) -> list[str]:
    """The source line of a fault, and the line with the caret."""
    place = Place("a.yaml", 1, "contract file", column, source)
    lines = str(ContractError([Fault("wrong", place)], "a.yaml")).splitlines()
    assert lines[1] == f"  a.yaml:1:{column}: wrong"
    return [line.removeprefix("      ") for line in lines[2:]]


@pytest.mark.parametrize(
    ("source", "column", "line", "spaces"),
    [
        ("a: x\n", 4, "a: x", 3),
        ("    a: x\r\n", 8, "a: x", 3),
        ("\u00e9: x", 4, "\u00e9: x", 3),
        ("e\u0301: x", 5, "e\u0301: x", 3),  # a letter and its accent
        ("\u6f22\u5b57: x", 5, "\u6f22\u5b57: x", 6),
        ("\U0001f600: x", 4, "\U0001f600: x", 4),
        ("\u2764\ufe0f: x", 5, "\u2764\ufe0f: x", 3),
        ("a\u200b\ufeff: x", 6, "a: x", 3),  # what has no width is left out
        ("a:\tx", 4, "a: x", 3),
        ("\t\ta: x", 6, "a: x", 3),
        ("a\u2028: x", 5, "a : x", 4),
        ("a:\u3000x", 4, "a:  x", 4),
        ("a:", 3, "a:", 2),  # behind the line: what should stand there
    ],
)
def test_the_caret_stands_under_the_character(
    source: str, column: int, line: str, spaces: int
) -> None:
    assert shown_at(source, column) == [line, " " * spaces + "^"]


def test_the_caret_stays_in_sight_in_a_long_line() -> None:
    source = "k" * 300 + "X" + "k" * 300
    line, caret = shown_at(source, 301)
    assert len(line) <= 100
    assert line[caret.index("^")] == "X"
    line, caret = shown_at("\u6f22" * 300 + "X", 301)
    assert line.endswith("X")
    assert len(caret) == 3 + 2 * 50 + 1


def test_without_a_source_line_the_label_says_where() -> None:
    for place in (
        Place("a.yaml", 3, "contract file", source=""),
        Place("no.yaml", 3, "contract file"),
    ):
        told = str(ContractError([Fault("cannot be read", place)], "a.yaml")).splitlines()
        assert told[1:] == [f"  {place.file}:3: contract file: cannot be read"]


def test_places_are_equal_whatever_their_line_says() -> None:
    assert Place("a", 1, "b", 2, "x") == Place("a", 1, "b", 2)


def test_a_text_has_no_control_characters_and_no_endless_lines() -> None:
    place = Place("a\x1b[31m.yaml", 1, "contract file", 1, "x: \x07\n")
    error = ContractError([Fault("'\x00' and \n and " + "y" * 10_000, place)], "a\nb")
    told = str(error).splitlines()
    assert told[0] == "1 fault in the compile contract of a\\nb"
    assert told[1].startswith("  a\\x1b[31m.yaml:1:1: '\\x00' and \\n and yyy")
    assert len(told[1]) < 600
    assert told[2:] == ["      x: ", "      ^"]
