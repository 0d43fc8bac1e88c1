from __future__ import annotations

import linecache
import unicodedata
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_compilecheck.report.parts.snippet import snippet
from pytest_compilecheck.report.style import plain

# Narrow, wide, combining and control characters; what ends a line for Python is left out.
SOURCE = st.text(st.sampled_from("ab(.=+ \t漢字かé\u0301\x1b\x00🙂"), min_size=1, max_size=60)


def written(root: Path, text: str, name: str = "m.py") -> str:
    (root / name).write_text(text, encoding="utf-8")
    linecache.clearcache()
    return name


def displayed(text: str) -> int:
    """Columns of a terminal, counted apart from the code under test."""
    narrow = [char for char in text if not unicodedata.combining(char)]
    return len(narrow) + sum(unicodedata.east_asian_width(char) in "WF" for char in narrow)


def test_neighbours_numbers_and_carets(tmp_path: Path) -> None:
    text = "".join(f"line{n}\n" for n in range(1, 8))
    file = written(tmp_path, text + "    if y.sum() > 0:\n        pass\n    more\n")
    lines = snippet(
        "if y.sum() > 0:", line=8, column=8, end_column=19, file=file, root=str(tmp_path)
    )
    assert plain(lines) == (
        "  6 | line6\n"
        "  7 | line7\n"
        "> 8 |     if y.sum() > 0:\n"
        "    |        ^^^^^^^^^^^\n"
        "  9 |         pass"
    )


def test_the_meanings_set_the_line_and_its_carets_apart(tmp_path: Path) -> None:
    file = written(tmp_path, "a\nb\n")
    lines = snippet("b", line=2, column=1, end_column=2, file=file, root=str(tmp_path))
    assert [[span.meaning for span in spans] for spans in lines] == [
        ["gutter", "dim"],
        ["mark", "plain"],
        ["gutter", "plain", "caret"],
    ]


def test_numbers_of_different_length_are_aligned(tmp_path: Path) -> None:
    file = written(tmp_path, "x\n" * 12)
    lines = snippet("x", line=9, column=None, end_column=None, file=file, root=str(tmp_path))
    assert plain(lines).splitlines()[-1] == "  10 | x"
    assert plain(lines).splitlines()[2:4] == [">  9 | x", "     | ^"]


def test_without_a_column_the_whole_statement_is_marked(tmp_path: Path) -> None:
    file = written(tmp_path, "    return x  \n")
    lines = snippet("return x", line=1, column=None, end_column=None, file=file, root=str(tmp_path))
    assert plain(lines) == "> 1 |     return x\n    |     ^^^^^^^^"


@pytest.mark.parametrize("end_column", [None, 3, 8])
def test_an_end_on_another_line_marks_to_the_end_of_this_one(
    tmp_path: Path, end_column: int | None
) -> None:
    file = written(tmp_path, "y = call(\n    x)\n")
    lines = snippet(
        "y = call(", line=1, column=8, end_column=end_column, file=file, root=str(tmp_path)
    )
    assert plain(lines).splitlines()[1] == "    |        ^^"


@pytest.mark.parametrize("column", [0, 11, 400])
def test_a_column_outside_the_line_marks_the_statement(tmp_path: Path, column: int) -> None:
    file = written(tmp_path, "y = x.sum()\n"[:10] + "\n")
    lines = snippet(
        "y = x.sum(", line=1, column=column, end_column=None, file=file, root=str(tmp_path)
    )
    assert plain(lines).splitlines()[1] == "    | ^^^^^^^^^^"


@pytest.mark.parametrize("text", ["", "other\n", "x = 1\nif y.sum() > 0:\n"])
def test_a_file_that_changed_shows_the_code_alone_and_no_column(tmp_path: Path, text: str) -> None:
    file = written(tmp_path, text)
    lines = snippet(
        "if y.sum() > 0:", line=1, column=8, end_column=19, file=file, root=str(tmp_path)
    )
    assert plain(lines) == "> 1 | if y.sum() > 0:\n    | ^^^^^^^^^^^^^^^"


def test_code_that_kept_its_indentation_keeps_its_column_too() -> None:
    lines = snippet(
        "    if y.sum() > 0:", line=3, column=8, end_column=19, file="gone.py", root="/nowhere"
    )
    assert plain(lines) == "> 3 |     if y.sum() > 0:\n    |        ^^^^^^^^^^^"


def test_a_file_that_is_no_python_text_shows_the_code_alone(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_bytes(b"\xff\xfe\x00x\n")
    lines = snippet("x", line=1, column=None, end_column=None, file="m.py", root=str(tmp_path))
    assert plain(lines) == "> 1 | x\n    | ^"


def test_a_file_of_that_name_on_the_path_of_imports_is_another_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "m.py").write_text("a = 1\nx = 2\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path / "here")
    lines = snippet("x = 2", line=2, column=None, end_column=None, file="m.py", root=".")
    assert plain(lines).splitlines()[0] == "> 2 | x = 2"


def test_no_code_is_no_snippet() -> None:
    assert snippet("", line=3, column=8, end_column=9, file="gone.py", root="/nowhere") == []


def test_an_absolute_path_needs_no_root(tmp_path: Path) -> None:
    written(tmp_path, "if x:\n    y()\n")
    lines = snippet(
        "y()", line=2, column=5, end_column=8, file=str(tmp_path / "m.py"), root="/nowhere"
    )
    assert plain(lines) == "  1 | if x:\n> 2 |     y()\n    |     ^^^"


def test_a_cell_of_a_notebook_is_found_by_its_name() -> None:
    name = "<ipython-input-1-abc>"
    linecache.cache[name] = (10, None, ["a = 1\n", "  b = c\n"], name)
    lines = snippet("b = c", line=2, column=7, end_column=8, file=name, root="/nowhere")
    linecache.cache.pop(name)
    assert plain(lines) == "  1 | a = 1\n> 2 |   b = c\n    |       ^"


@pytest.mark.parametrize("name", ["secrets.env", "m.py", "<m.txt"])
def test_a_report_cannot_have_other_files_shown(tmp_path: Path, name: str) -> None:
    """Who knows one line of a file would learn those around it."""
    path = tmp_path / name
    if name == "m.py":
        path.symlink_to("/dev/zero")
    else:
        path.write_text("TOKEN=1234\nDEBUG=1\n")
    lines = snippet("DEBUG=1", line=2, column=1, end_column=8, file=str(path), root="/nowhere")
    assert plain(lines) == "> 2 | DEBUG=1\n    | ^^^^^^^"


def test_a_file_too_large_for_source_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = written(tmp_path, "a\nb\n")
    monkeypatch.setattr("pytest_compilecheck.report.parts.snippet._MOST_BYTES", 3)
    lines = snippet("b", line=2, column=1, end_column=2, file=file, root=str(tmp_path))
    assert plain(lines) == "> 2 | b\n    | ^"


def test_wide_characters_and_tabs_move_the_caret(tmp_path: Path) -> None:
    file = written(tmp_path, "\tif '漢字' < y.sum():\n")
    lines = snippet(
        "if '漢字' < y.sum():", line=1, column=12, end_column=19, file=file, root=str(tmp_path)
    )
    assert plain(lines) == "> 1 |     if '漢字' < y.sum():\n    |                 ^^^^^^^"


def test_control_characters_are_escaped_and_counted(tmp_path: Path) -> None:
    lines = snippet(
        "  f('\x1b[2J', y)", line=1, column=13, end_column=14, file="gone.py", root=str(tmp_path)
    )
    assert plain(lines) == "> 1 |   f('\\x1b[2J', y)\n    |                ^"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)
@given(before=SOURCE, meant=st.sampled_from(["y", "item()", "漢", "a b"]), after=SOURCE)
def test_the_carets_stand_under_what_is_meant(before: str, meant: str, after: str) -> None:
    source = f" {before}{meant}{after}"
    column = len(before) + 2
    lines = snippet(
        source,
        line=1,
        column=column,
        end_column=column + len(meant),
        file="gone.py",
        root="/nowhere",
        width=1000,
    )
    shown, carets = plain(lines).split("\n")
    start = carets.index("^")
    # What stands over the first caret is `meant`, and what is marked is as wide as it is.
    over = next(i for i in range(len(shown) + 1) if displayed(shown[:i]) == start)
    while over < len(shown) and unicodedata.combining(shown[over]):
        over += 1
    assert shown[over:].startswith(meant)
    assert carets.count("^") == displayed(meant)


@given(left=st.integers(0, 400), right=st.integers(0, 400), width=st.integers(30, 120))
def test_a_long_line_is_cut_around_the_caret(left: int, right: int, width: int) -> None:
    source = " " + "a" * left + "y.item()" + "b" * right
    lines = snippet(
        source,
        line=1,
        column=left + 2,
        end_column=left + 10,
        file="gone.py",
        root="/nowhere",
        width=width,
    )
    shown, carets = plain(lines).split("\n")
    start = carets.index("^")
    assert shown[start : start + 8] == "y.item()"
    assert carets[start:] == "^" * 8
    assert len(shown) <= len("> 1 | ") + width + 2 * len("...")


def test_what_is_meant_may_be_longer_than_the_width() -> None:
    lines = snippet(
        " x = " + "y" * 300,
        line=1,
        column=6,
        end_column=306,
        file="gone.py",
        root="/nowhere",
        width=40,
    )
    assert plain(lines) == f"> 1 | ...{'y' * 40}...\n    |    {'^' * 40}"


def test_neighbours_are_cut_at_the_same_columns(tmp_path: Path) -> None:
    file = written(tmp_path, "short\n" + "0123456789" * 5 + "\n" + "a" * 20 + "y" * 4 + "b" * 20)
    lines = snippet(
        "a" * 20 + "y" * 4 + "b" * 20,
        line=3,
        column=21,
        end_column=25,
        file=file,
        root=str(tmp_path),
        width=20,
    )
    assert plain(lines) == (
        "  1 | ...\n"
        "  2 | ...23456789012345678901...\n"
        "> 3 | ...aaaaaaaayyyybbbbbbbb...\n"
        "    |            ^^^^"
    )


@pytest.mark.parametrize("width", [20, 22])
def test_a_wide_character_in_the_cut_keeps_the_columns(width: int) -> None:
    source = " " + "漢" * 30 + "y" + "b" * 30
    lines = snippet(
        source, line=1, column=32, end_column=33, file="gone.py", root="/nowhere", width=width
    )
    shown, carets = plain(lines).split("\n")
    assert displayed(shown[: shown.index("y")]) == carets.index("^")


def test_a_character_without_a_width_has_a_caret_all_the_same() -> None:
    lines = snippet(" e\u0301", line=1, column=3, end_column=4, file="gone.py", root="/nowhere")
    assert plain(lines) == "> 1 |  e\u0301\n    |   ^"


def test_a_file_that_is_edited_between_two_reports_is_read_again(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text("if x:\n    y()\n")
    at = {"line": 2, "column": 5, "end_column": 8, "file": "m.py", "root": str(tmp_path)}
    assert plain(snippet("y()", **at)).startswith("  1 | if x:\n")
    (tmp_path / "m.py").write_text("if longer:\n    z()\n")
    assert plain(snippet("z()", **at)).startswith("  1 | if longer:\n")


@pytest.mark.parametrize("name", ["a\0b.py", "a\ud800b.py"])
def test_a_name_that_no_file_can_have_shows_the_code_alone(tmp_path: Path, name: str) -> None:
    lines = snippet("x = 1", line=3, column=1, end_column=2, file=name, root=str(tmp_path))
    assert plain(lines).startswith("> 3 | x = 1")
