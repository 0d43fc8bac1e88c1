"""Rows of text in aligned columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Column:
    """A heading and the side that its cells stand on; numbers stand on the right."""

    heading: str
    side: Literal["left", "right"] = "right"


Columns = Mapping[Column, Sequence[str]]
"""Cells by column, one for each row."""


def rows_of(columns: Columns) -> list[tuple[str, ...]]:
    """The cells of each row."""
    return list(zip(*columns.values(), strict=True))


def column_grid(columns: Columns) -> list[str]:
    """`grid` of columns that have their cells."""
    return grid(list(columns), rows_of(columns))


def grid(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> list[str]:
    """The rows under their headings, one line each, without blanks at the end."""
    # Imported where it is used: loading the plugin must not cost it.
    from tabulate import tabulate

    # As rows of the body: tabulate makes columns wider than a heading of its own needs.
    head = [[column.heading for column in columns], ["-" * len(each.heading) for each in columns]]
    table = tabulate(
        [*head, *rows],
        colalign=[column.side for column in columns],
        disable_numparse=True,
        tablefmt="plain",
    )
    return [row.rstrip() for row in table.splitlines()]
