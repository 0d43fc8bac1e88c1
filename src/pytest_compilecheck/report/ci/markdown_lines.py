"""The lines of the terminal report as Markdown: the same words, as lists, code and emphasis."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from textwrap import dedent

from pytest_compilecheck.report.ci import gfm
from pytest_compilecheck.report.style import COLUMNS_KEPT, Line, Span, indentation, is_label, plain

_BOLD = ("heading", "bad")
_CODE = ("location", "code")


def markdown_lines(lines: Iterable[Line]) -> str:
    """Markdown of a section: what is not indented in the terminal is a paragraph, the rest lists.

    Source and tables, whose columns matter, become blocks of code in the item above them.
    """
    told: list[str] = []
    depth = 0
    for in_columns, group in groupby(filter(None, lines), key=_keeps_columns):
        if in_columns:
            told += gfm.fence(dedent(plain(group)).splitlines(), "  " * depth)
            continue
        for line in group:
            depth = indentation(line) // 2
            bullet = "  " * (depth - 1) + "- " if depth else ""
            # A paragraph needs a blank line around it, an item does not.
            told += [f"{bullet}{_inline(line)}"] if depth else ["", _inline(line), ""]
    return "\n".join(_without_double_blanks(told)).strip("\n")


def _keeps_columns(line: Line) -> bool:
    return any(span.meaning in COLUMNS_KEPT for span in line)


def _inline(line: Line) -> str:
    told = [_span(span) for span in line]
    return "".join(told).strip()


def _span(span: Span) -> str:
    if span.meaning in _BOLD:
        return gfm.strong(span.text)
    if span.meaning in _CODE:
        inner = span.text.strip()
        before = span.text[: len(span.text) - len(span.text.lstrip())]
        return before + gfm.code(inner)
    if is_label(span):
        return f"*{gfm.text(span.text.strip())}:* "
    return gfm.text(span.text)


def _without_double_blanks(lines: Iterable[str]) -> list[str]:
    kept: list[str] = []
    for line in lines:
        if line or (kept and kept[-1]):
            kept.append(line)
    return kept
