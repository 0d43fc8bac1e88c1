"""How many rows a summary table shows, which come first, and what is said of the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from pytest_compilecheck.judge.outcome import WORST_FIRST, Outcome
from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.report.wording import plural

CONTRACTS = 50
"""Rows of a table of contracts, unless somebody says how many."""
PLACES = 15
"""Rows of a table of an audit, likewise."""
SHOW_ALL = "-v or --compilecheck-top=0 shows all"


def rows_of(text: str) -> int:
    """A number of rows as somebody gives it; 0 is all.

    Raises:
        ValueError: it is none; the message says what is.
    """
    if not (text.isascii() and text.isdigit()):
        raise ValueError("a number of rows is needed, such as 20, or 0 for all")
    return int(text)


def most(top: int | None, usual: int) -> int | None:
    """The number of rows to show: `top`, where 0 means all, or the usual one; None is all."""
    return (usual if top is None else top) or None


def worst_first(records: Iterable[ContractRecord]) -> list[ContractRecord]:
    """Records with the broken ones first, each kind by name."""
    return sorted(records, key=lambda record: (WORST_FIRST.index(record.outcome), record.name))


def shown_first(
    records: Sequence[ContractRecord], rows: int | None
) -> tuple[Sequence[ContractRecord], str]:
    """The records that a table of so many rows shows, and what is said of the rest.

    In their own order where all are shown; else the broken ones come first.
    """
    if rows is None or len(records) <= rows:
        return records, ""
    ordered = worst_first(records)
    rest = ordered[rows:]
    return ordered[:rows], f"and {len(rest)} more ({outcomes_text(rest)}): {SHOW_ALL}"


def outcomes_of(records: Iterable[ContractRecord]) -> dict[Outcome, int]:
    """How many there are of each outcome that there is, the worst first."""
    counts = Counter(record.outcome for record in records)
    return {each: counts[each] for each in WORST_FIRST if counts[each]}


def outcomes_text(records: Iterable[ContractRecord]) -> str:
    """The same in words: "2 failed, 9 passed"."""
    return ", ".join(
        plural(count, each) if each == "error" else f"{count} {each}"
        for each, count in outcomes_of(records).items()
    )
