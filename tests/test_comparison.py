"""The tables of what other ways say are what they say.

A column that cannot be made here, because its package is not installed, is not compared.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from comparison.table import SHORT_PROGRAMS, SHORT_WAYS, table
from comparison.ways import WAYS

ROOT = Path(__file__).parents[1]

pytestmark = pytest.mark.skipif(
    not torch.__version__.startswith("2.13"), reason="the pages show figures of torch 2.13"
)


def columns(rows: list[str]) -> dict[str, list[str]]:
    """The cells of a table in Markdown, by the head of their column."""
    kept = [row for row in rows if not row.startswith("| ---")]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in kept]
    return {head: list(below) for head, *below in zip(*cells, strict=True)}


def shown(page: str) -> dict[str, list[str]]:
    """The columns of the page's table of models."""
    text = (ROOT / page).read_text("utf-8").splitlines()
    start = next(at for at, line in enumerate(text) if line.startswith("| a model with"))
    end = text.index("", start)
    return columns(text[start:end])


@pytest.mark.slow
def test_the_tables() -> None:
    made = columns(table())
    page = shown("docs/why-counts-differ.md")
    assert set(page) - set(made) <= {"pytest-torch"}
    assert made == {head: page[head] for head in made}
    assert made["pytest-compilecheck"] == made["in truth"]
    assert "**" not in "".join(made["pytest-compilecheck"])

    short = shown("README.md")
    rows = [page["a model with"].index(title) for title in short["a model with"]]
    assert short == {head: [page[head][at] for at in rows] for head in short}


def test_the_readme_shows_the_chosen_rows_and_columns() -> None:
    heads = list(shown("README.md"))
    assert tuple(shown("README.md")[heads[0]]) == SHORT_PROGRAMS
    assert [head for head in heads[2:] if head in WAYS] == list(SHORT_WAYS)
