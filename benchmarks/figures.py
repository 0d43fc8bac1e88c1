"""Figures of repeated measurements, and the tables that the benchmarks print."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from tabulate import tabulate


@dataclass(frozen=True, slots=True)
class Spread:
    """Median and range of some measurements of one thing."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """The spread of at least one value."""
        return cls(statistics.median(values), min(values), max(values))

    def show(self, digits: int, unit: str = "") -> str:
        """For example "1.012 (0.98-1.05)"."""
        low, high = f"{self.low:.{digits}f}", f"{self.high:.{digits}f}"
        return f"{self.median:.{digits}f}{unit} ({low} to {high})"


def ratios(of: Sequence[float], to: Sequence[float]) -> Spread:
    """Round by round, the first over the second: what slows a whole round down drops out."""
    return Spread.of([one / other for one, other in zip(of, to, strict=True)])


def print_table(title: str, headers: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print rows under a title."""
    print(f"\n{title}\n")
    print(tabulate(rows, headers=headers, tablefmt="simple", disable_numparse=True))
