"""What a report says first of a run: how many contracts are broken, and what it was run with."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_compilecheck.judge.outcome import FAILING
from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.judge.run_report import RunReport
from pytest_compilecheck.report.top import outcomes_text
from pytest_compilecheck.report.wording import plural


def is_broken(record: ContractRecord) -> bool:
    """Whether a reader must look at it."""
    return record.outcome in FAILING


def run_title(records: Sequence[ContractRecord]) -> str:
    """ "1 failed of 3 compile contracts"."""
    broken = [each for each in records if is_broken(each)]
    contracts = plural(len(records), "compile contract")
    return f"{outcomes_text(broken)} of {contracts}" if broken else f"{contracts}, none broken"


def versions_text(report: RunReport) -> str:
    """ "torch 2.13.0, Python 3.11.7", and what limits the report."""
    return "; ".join([f"torch {report.torch}, Python {report.python}", *report.notes])
