from __future__ import annotations

from typing import Any

import pytest
from report.values import record

from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.pytest_layer.ending.gathered import Gathered

ID = "a.py::a"


def report(*records: ContractRecord, outcome: Any = "passed", **fields: Any) -> pytest.TestReport:
    parts = [each.to_dict() for each in records if each.part]
    whole = next((each.to_dict() for each in records if not each.part), None)
    return pytest.TestReport(
        nodeid=ID,
        location=("a.py", 1, "a"),
        keywords={},
        outcome=outcome,
        longrepr=None,
        when="call",
        compilecheck=whole,
        compilecheck_parts=parts,
        **fields,
    )


def gathered(*reports: pytest.TestReport) -> tuple[ContractRecord, ...]:
    found = Gathered()
    for each in reports:
        found.take(each)
    return found.records


PASSED, FAILED = record(id=ID, outcome="passed"), record(id=ID, outcome="failed")
EARLY, LATE = record(id=ID, part="early"), record(id=ID, part="late")


def test_the_last_report_of_a_test_counts() -> None:
    assert gathered(report(PASSED), report(FAILED)) == (FAILED,)
    assert gathered(report(FAILED), report(PASSED)) == (PASSED,)


def test_a_test_that_is_to_run_again_leaves_nothing() -> None:
    assert gathered(report(FAILED, EARLY, outcome="rerun")) == ()
    assert gathered(report(FAILED, EARLY, outcome="rerun"), report(PASSED, LATE)) == (PASSED, LATE)


def test_of_several_workers_the_worst_counts() -> None:
    for first, second in ((PASSED, FAILED), (FAILED, PASSED)):
        assert gathered(report(first, node="gw0"), report(second, node="gw1")) == (FAILED,)


def test_a_report_without_a_contract() -> None:
    assert gathered(report()) == ()
