"""Records as they arrive with pytest's reports: of each contract the one that counts."""

from __future__ import annotations

import pytest

from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.judge.worse import worse


class Gathered:
    """Of several runs of a test the last counts, of those in several workers the worst.

    Plugins run a failed test again; with --dist=each every worker of xdist runs it.
    """

    def __init__(self) -> None:
        # By test and worker, then by contract and block.
        self._runs: dict[tuple[str, object], dict[tuple[str, str], ContractRecord]] = {}

    def take(self, report: pytest.TestReport) -> None:
        """Take the records off a report; a test that is to run again has none as yet."""
        key = report.nodeid, getattr(report, "node", None)
        whole = getattr(report, "compilecheck", None)
        for data in (*getattr(report, "compilecheck_parts", ()), *([whole] if whole else ())):
            record = ContractRecord.from_dict(data)
            self._runs.setdefault(key, {})[record.id, record.part or ""] = record
        if str(report.outcome) == "rerun":  # what pytest-rerunfailures makes of it
            self._runs.pop(key, None)

    @property
    def records(self) -> tuple[ContractRecord, ...]:
        """One for each contract and block, sorted."""
        found: dict[tuple[str, str], ContractRecord] = {}
        for run in self._runs.values():
            for key, record in run.items():
                found[key] = worse(found[key], record) if key in found else record
        return tuple(found[key] for key in sorted(found))
