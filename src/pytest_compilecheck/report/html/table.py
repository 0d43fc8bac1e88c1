"""A table of the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_compilecheck.report.grid import Column, Columns, rows_of


@dataclass(frozen=True, slots=True)
class Table:
    """Cells are text; `caption` says what the table is of."""

    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[str]]

    @classmethod
    def of_columns(cls, caption: str, columns: Columns) -> Table:
        """A table whose columns have one cell for each row."""
        return cls(caption, list(columns), rows_of(columns))
