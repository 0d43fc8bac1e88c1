"""Lines of a report: text in spans, each with a meaning that a terminal may colour."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final, Literal, NamedTuple

from pytest_compilecheck.report.wording import printable

Meaning = Literal[
    "plain",
    "heading",
    "location",
    "bad",
    "good",
    "dim",
    "cure",
    "code",
    "gutter",
    "mark",
    "caret",
    "row",
]
"""`code` is to be copied as it is. A line with a `gutter`, a `mark` (the gutter of the line that is
meant) or a `row` of a table keeps its columns: its characters stand under each other."""


class Span(NamedTuple):
    """A piece of one line; what steers a terminal in `text` is escaped where it is written."""

    text: str
    meaning: Meaning = "plain"


Line = tuple[Span, ...]

BLANK: Line = ()

COLUMNS_KEPT: Final[tuple[Meaning, ...]] = ("gutter", "mark", "row")
"""Meanings of spans whose lines keep their columns."""

# Keyword arguments for `write` of pytest's TerminalWriter.
MARKUP: Mapping[Meaning, Mapping[str, bool]] = MappingProxyType(
    {
        "plain": {},
        "heading": {"bold": True},
        "location": {"cyan": True, "bold": True},
        "bad": {"red": True, "bold": True},
        "good": {"green": True},
        "caret": {"red": True, "bold": True},
        "dim": {"light": True},
        "cure": {"green": True, "bold": True},
        "code": {"cyan": True},
        "gutter": {"light": True},
        "mark": {"red": True, "bold": True},
        "row": {},
    }
)


def line(*parts: str | Span) -> Line:
    """One line made of spans; a string is a plain span and an empty one is left out."""
    spans = [Span(part) if isinstance(part, str) else part for part in parts]
    return tuple([span for span in spans if span.text])


def indent(lines: Iterable[Line], by: int = 2) -> list[Line]:
    """The lines moved `by` columns to the right; blank ones stay blank."""
    return [(Span(" " * by), *spans) if spans else BLANK for spans in lines]


def separated(sections: Iterable[list[Line]]) -> list[Line]:
    """The lines of all sections that say something, with a blank line between sections."""
    lines: list[Line] = []
    for section in sections:
        if section:
            lines += [BLANK, *section] if lines else section
    return lines


def plain(lines: Iterable[Line]) -> str:
    """The lines as text without colour, joined by line breaks."""
    return "\n".join(["".join([printable(span.text) for span in spans]) for spans in lines])


def indentation(spans: Line) -> int:
    """How many blanks a line begins with."""
    blanks = 0
    for span in spans:
        words = span.text.lstrip(" ")
        blanks += len(span.text) - len(words)
        if words:
            break
    return blanks


def is_label(span: Span) -> bool:
    """Whether it is a label before a text: in the terminal a column of its own."""
    is_before_a_text = span.text.endswith("  ") and span.text.strip() != ""
    return span.meaning in ("dim", "cure") and is_before_a_text
