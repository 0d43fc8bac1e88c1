"""Which of two records of one contract is the worse."""

from __future__ import annotations

from pytest_compilecheck.judge.findings import findings
from pytest_compilecheck.judge.outcome import WORST_FIRST
from pytest_compilecheck.judge.record import ContractRecord


def worse(one: ContractRecord, other: ContractRecord) -> ContractRecord:
    """The record with the worse outcome, of equal ones that with more findings, else the first."""
    return min(one, other, key=_rank)


def _rank(record: ContractRecord) -> tuple[int, int]:
    return WORST_FIRST.index(record.outcome), -findings(record).total()
