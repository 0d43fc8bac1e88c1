"""Which of two records of one contract is the worse."""

from __future__ import annotations

from typing import Final

from pytest_compilecheck.judge.findings import findings
from pytest_compilecheck.judge.record import ContractRecord, Outcome

WORST_FIRST: Final[tuple[Outcome, ...]] = (
    "failed",
    "error",
    "warned",
    "xfailed",
    "skipped",
    "xpassed",
    "passed",
)
"""Outcomes by how much is known to be wrong; a skipped contract was not held."""


def worse(one: ContractRecord, other: ContractRecord) -> ContractRecord:
    """The record with the worse outcome, of equal ones that with more findings, else the first."""
    return min(one, other, key=_rank)


def _rank(record: ContractRecord) -> tuple[int, int]:
    return WORST_FIRST.index(record.outcome), -findings(record).total()
