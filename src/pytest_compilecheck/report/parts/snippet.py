"""The source line of a break, between its neighbours, with a caret under what breaks."""

from __future__ import annotations

import linecache
import os
import stat
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from pytest_compilecheck.report.style import Line, Meaning, Span
from pytest_compilecheck.report.wording import printable

TAB = 4
WIDTH = 96
_BEFORE, _AFTER = 2, 1
_CUT = "..."
_MOST_BYTES = 10_000_000


@dataclass(frozen=True, slots=True)
class _Cell:
    """One character of the source as it is shown, and the columns that it takes."""

    text: str
    width: int


def snippet(
    code: str,
    *,
    line: int,
    column: int | None,
    end_column: int | None,
    file: str,
    root: str,
    width: int = WIDTH,
) -> list[Line]:
    """Source around one line, with carets under the columns that are meant.

    Args:
        code: the text of the line as Python or torch gave it, perhaps without its indentation.
        line: its number, from 1.
        column: first column meant, 1-based, in characters of the line as it stands in the file;
            None marks the whole statement.
        end_column: the column behind the last one meant; None, or one that is not behind
            `column`, marks up to the end of the line.
        file: where the line stands. If it cannot be read or holds another text by now, only
            `code` is shown.
        root: the directory that a relative `file` starts from.
        width: columns that source text may take; longer lines are cut around the caret.

    Returns:
        Numbered lines and one line of carets; none where `code` is empty.
    """
    code = code.rstrip().partition("\n")[0]
    if not code.strip():
        return []
    # Cells of a notebook have names such as "<ipython-input-1>" and live in linecache alone; what
    # is no absolute path, linecache looks for in all of sys.path.
    path = file if file.startswith("<") else str(Path(root, file).absolute())
    lines = _lines_around(code, line, path)
    if lines is None:
        lines = {line: code}
        if not code[0].isspace():
            # The columns count from an indentation that is not known.
            column = None
    start, end = _marked(lines[line], column, end_column)
    left = _left_edge(_columns(lines[line]), start, end, width)
    return _numbered(lines, line, left, width, carets=(start, end))


def _lines_around(code: str, line: int, path: str) -> dict[int, str] | None:
    """The line and its neighbours by number; None if the file does not hold `code` there."""
    if not _is_source(path):
        return None
    try:
        linecache.checkcache(path)
        source = linecache.getlines(path)
    except ValueError:  # no file can have this name: made code is called as somebody likes
        return None
    if not 1 <= line <= len(source) or source[line - 1].strip() != code.strip():
        return None
    numbers = range(max(1, line - _BEFORE), min(len(source), line + _AFTER) + 1)
    return {number: source[number - 1].rstrip() for number in numbers}


def _is_source(path: str) -> bool:
    """Whether a file may be shown: a report may come from anywhere, and name any file.

    A cell of a notebook, and what was imported from an archive, is in linecache and on no disk.
    """
    if not (path.endswith(".py") or (path[:1] == "<" and path[-1:] == ">")):
        return False
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return True
    return stat.S_ISREG(status.st_mode) and status.st_size <= _MOST_BYTES


def _marked(source: str, column: int | None, end_column: int | None) -> tuple[int, int]:
    """First displayed column that is marked, from 0, and the one behind the last."""
    statement_end = len(source.rstrip())
    if column is None or not 1 <= column <= statement_end:
        first, last = len(source) - len(source.lstrip()), statement_end
    elif end_column is None or end_column <= column:
        first, last = column - 1, statement_end
    else:
        first, last = column - 1, min(end_column - 1, statement_end)
    start = _columns(source[:first])
    return start, max(start + 1, _columns(source[:last]))


def _cells(source: str) -> list[_Cell]:
    cells: list[_Cell] = []
    column = 0
    for char in source:
        if char == "\t":
            cell = _Cell(" " * (TAB - column % TAB), TAB - column % TAB)
        elif len(text := printable(char)) > 1:
            cell = _Cell(text, len(text))
        else:
            cell = _Cell(char, _char_width(char))
        column += cell.width
        cells.append(cell)
    return cells


def _char_width(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


def _columns(source: str) -> int:
    """Columns of a terminal that the text takes."""
    if _is_plain(source):
        return len(source)
    return sum(cell.width for cell in _cells(source))


def _is_plain(source: str) -> bool:
    """Whether each character is shown as it is, in one column: most lines are so."""
    return source.isascii() and source.isprintable()


def _left_edge(total: int, start: int, end: int, width: int) -> int:
    """First column shown: 0 if the line fits, else such that the carets stand in the middle."""
    if total <= width:
        return 0
    middle = (start + min(end, start + width)) // 2
    return max(0, min(middle - width // 2, total - width))


def _cut(source: str, left: int, width: int) -> str:
    """Columns `left` to `left + width` of a line, with dots where something was cut off."""
    if left == 0 and len(source) <= width and _is_plain(source):
        return source
    shown: list[str] = []
    column = 0
    for cell in _cells(source):
        if left <= column and column + cell.width <= left + width:
            shown.append(cell.text)
        elif column < left < column + cell.width:
            # A wide character in the cut: blank, so that what follows keeps its column.
            shown.append(" " * (column + cell.width - left))
        column += cell.width
    before = _CUT if left else ""
    after = _CUT if column > left + width else ""
    return f"{before}{''.join(shown)}{after}" if column > left else before.strip()


def _numbered(
    lines: dict[int, str], marked: int, left: int, width: int, carets: tuple[int, int]
) -> list[Line]:
    digits = len(str(max(lines)))
    rows: list[Line] = []
    for number, source in lines.items():
        is_marked = number == marked
        gutter: Meaning = "mark" if is_marked else "gutter"
        text = _cut(source, left, width)
        rows.append(
            (
                Span(f"{'>' if is_marked else ' '} {number:>{digits}} |", gutter),
                *((Span(f" {text}", "plain" if is_marked else "dim"),) if text else ()),
            )
        )
        if is_marked:
            shift = len(_CUT) - left if left else 0
            start = carets[0] + shift
            end = min(carets[1], left + width) + shift
            rows.append(
                (
                    Span(f"  {' ' * digits} |", "gutter"),
                    Span(" " * (start + 1)),
                    Span("^" * (end - start), "caret"),
                )
            )
    return rows
