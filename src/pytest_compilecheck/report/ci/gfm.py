"""Text that GitHub's Markdown shows as it is: nothing in it is markup, a mention or a reference."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from pytest_compilecheck.report.wording import WEB_ADDRESS, printable

# An underscore within a word is none of Markdown's.
_MARKUP = re.compile(r"([\\`*\[\]|~]|(?<![^\W_])_|_(?![^\W_]))")
_BLOCK = re.compile(r"^(\s*\d+)(?=[.)](?:\s|$))|^(\s*)(?=[-+](?:\s|$)|[-=]+\s*$)")
# @name and #1 would call somebody and refer to something, :100: be a picture, $x$ a formula.
_GITHUB = re.compile(r"[@#$]|:(?=(?:[a-z+-][\w+-]*|100|1234):)")
_APART: Final = "<!-- -->"
"""Ends a word for GitHub, which looks for mentions after Markdown is read; shows nothing."""


def html_text(text: str) -> str:
    """Text within an HTML tag."""
    return _GITHUB.sub(_harmless, html.escape(printable(text), quote=False))


def _harmless(found: re.Match[str]) -> str:
    return "<span>$</span>" if found[0] == "$" else f"{found[0]}{_APART}"


@lru_cache(maxsize=4096)  # a large report says the same of many contracts
def text(words: str) -> str:
    """Text in a paragraph, a list item or a cell; web addresses in it are links."""
    pieces, end = [], 0
    for found in WEB_ADDRESS.finditer(words):
        pieces += [_escaped(words[end : found.start()]), f"<{printable(found[0])}>"]
        end = found.end()
    told = "".join([*pieces, _escaped(words[end:])])
    return _BLOCK.sub(lambda found: f"{found[1] or found[2]}\\", told)


def _escaped(words: str) -> str:
    # Backslashes first: what html_text puts in holds no character that they are for.
    return html_text(_MARKUP.sub(r"\\\1", printable(words)))


def code(words: str, *, in_cell: bool = False) -> str:
    """A code span, of one line; a cell of a table needs its pipes escaped even there."""
    shown = printable(words)
    if not shown.strip():
        return shown
    ticks = _ticks(shown, 1)
    pad = " " if shown[0] in "` " or shown[-1] in "` " else ""
    span = f"{ticks}{pad}{shown}{pad}{ticks}"
    return span.replace("|", "\\|") if in_cell else span


def strong(words: str) -> str:
    """Emphasized text; blanks at its ends stay outside of the emphasis."""
    shown = printable(words)
    inner = shown.strip()
    if not inner:
        return shown
    before, _, after = shown.partition(inner)
    return f"{before}**{text(inner)}**{after}"


def fence(lines: Iterable[str], indent: str = "") -> list[str]:
    """A block of code whose lines may hold anything."""
    body = [printable(each) for each in lines]
    ticks = _ticks("\n".join(body), 3)
    return [f"{indent}{each}".rstrip() for each in (f"{ticks}text", *body, ticks)]


def table(headings: Sequence[tuple[str, bool]], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are Markdown already; headings with whether their column is numbers."""
    ruler = ["---:" if numbers else "---" for _, numbers in headings]
    return "\n".join(
        f"| {' | '.join(cells)} |" for cells in ([name for name, _ in headings], ruler, *rows)
    )


def folded(summary: str, body: str) -> str:
    """What is shown only when somebody opens it; `summary` is HTML, `body` Markdown."""
    return f"<details><summary>{summary}</summary>\n\n{body}\n\n</details>"


def _ticks(content: str, least: int) -> str:
    runs = re.findall("`+", content)
    return "`" * max(least, 1 + max(map(len, runs), default=0))
