"""A table of the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pytest_compilecheck.report.grid import Column


@dataclass(frozen=True, slots=True)
class Table:
    """Cells are text; `caption` says what the table is of."""

    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[str]]

    @classmethod
    def of_columns(cls, caption: str, columns: Mapping[Column, Sequence[str]]) -> Table:
        """A table whose columns have one cell for each row."""
        return cls(caption, list(columns), list(zip(*columns.values(), strict=True)))
