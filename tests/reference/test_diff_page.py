"""The page of what differs between two reports names the keys that are written."""

from __future__ import annotations

import re

from docs_reference.diff_page import diff_page
from pytest_compilecheck import codec
from pytest_compilecheck.judge.comparison import Change, ContractDiff, Figure, ReportDiff
from pytest_compilecheck.judge.findings import Finding
from pytest_compilecheck.judge.moved import Moved
from pytest_compilecheck.judge.policy_changes import CostChange, PolicyChanges, Standing

FINDING = Finding("test_it.py::test_it", "graph_break")
POLICIES = PolicyChanges(
    standings=(Standing("pow2", "", "it was not measured"),),
    costs=(CostChange("static", "total", 1.0, 2.0),),
)
CONTRACT = ContractDiff(
    contract="test_it.py::test_it",
    before="passed",
    after="failed",
    changes=(Change(FINDING, 0, 1),),
    moved=(Moved(FINDING, FINDING, 1),),
    figures=(Figure("graphs", 1, 2),),
    policies=POLICIES,
)
DIFF = ReportDiff(
    torch_before="2.13.0",
    torch_after="2.15.0",
    complete_before=True,
    complete_after=True,
    contracts=(CONTRACT,),
    same=3,
    reasons={"GB0059": "print"},
)


def test_every_value_has_the_keys_of_its_table() -> None:
    sections = dict(
        re.findall(r"^## (\w+)$(.*?)(?=^## |\Z)", diff_page(), re.MULTILINE | re.DOTALL)
    )
    values = (DIFF, CONTRACT, *CONTRACT.changes, *CONTRACT.moved, *CONTRACT.figures, FINDING)
    for value in (*values, POLICIES, *POLICIES.standings, *POLICIES.costs):
        keys = re.findall(r"^\| `(\w+)` \|", sections.pop(type(value).__name__), re.MULTILINE)
        assert keys == list(codec.encode(value)), value
    assert not sections
