from __future__ import annotations

import io
from typing import get_args

import pytest

from pytest_compilecheck.report.style import (
    BLANK,
    MARKUP,
    Meaning,
    Span,
    indent,
    line,
    plain,
    separated,
)


def test_every_meaning_has_markup_that_pytests_writer_takes(pytestconfig: pytest.Config) -> None:
    assert set(MARKUP) == set(get_args(Meaning))
    writer = type(pytestconfig.get_terminal_writer())(io.StringIO())
    writer.hasmarkup = True
    for meaning, markup in MARKUP.items():
        coloured = writer.markup("text", **markup)
        assert (coloured == "text") is (meaning in ("plain", "row"))


def test_a_line_takes_strings_and_spans_and_drops_empty_ones() -> None:
    assert line("a", Span("b", "bad"), "") == (Span("a"), Span("b", "bad"))
    assert line("") == BLANK


def test_plain_is_the_text_alone() -> None:
    assert plain([line("a ", Span("b", "bad")), BLANK, line("c")]) == "a b\n\nc"
    assert plain([]) == ""


def test_indent_leaves_blank_lines_blank() -> None:
    assert plain(indent([line("a"), BLANK, line("b")])) == "  a\n\n  b"


def test_sections_are_parted_by_one_blank_line_and_empty_ones_vanish() -> None:
    assert plain(separated([[], [line("a")], [], [line("b"), line("c")], []])) == "a\n\nb\nc"
