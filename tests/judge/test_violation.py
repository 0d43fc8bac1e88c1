from __future__ import annotations

import pickle

from report.values import record, violation

from pytest_compilecheck.judge.verdict import Verdict
from pytest_compilecheck.judge.violation import ContractViolation


def test_the_headline_is_what_it_says_and_the_record_goes_with_it() -> None:
    made = record(violation("max_graph_breaks", 0, 1, "graph breaks: 1"))
    for error in (
        ContractViolation("broken", made),
        pickle.loads(pickle.dumps(ContractViolation("broken", made))),
    ):
        assert isinstance(error, ContractViolation)
        assert (str(error), error.record) == ("broken", made)


def test_a_verdict_holds_without_violations() -> None:
    assert Verdict(violations=()).holds
    assert not Verdict(violations=(violation("max_graphs", 0, 1),)).holds
