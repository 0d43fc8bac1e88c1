"""Hostile tests in one run of pytest: each in a file of its own, before a contract of known counts.

A case is the text of a file with one test, `test_it`, and what its record must have.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from textwrap import dedent
from typing import Any

import pytest

from pytest_layer.projects import Project

HEAD = """
import builtins, gc, io, linecache, logging, os, sys, time, types
import torch._dynamo.config as dynamo

class Model(torch.nn.Module):
    def forward(self, x):
        return x.relu() + 1

@pytest.fixture
def model():
    return Model()
"""

KNOWN = """

@compile_contract(shapes={"x": "B 4"}, dims={"B": [2, 3, 5]}, max_graph_breaks=1, max_recompiles=1)
def test_known(x):
    print("break")
    return x * 2
"""
KNOWN_COUNTS = {
    "outcome": "passed",
    "graphs": 2,
    "captured_ops": 1,
    "breaks": [("test_known", "GB0059")],
    "recompiles": 1,
    "kinds": ["compile", "recompile", "hit", "hit", "hit", "hit"],
    "sizes": [[2, 4], [3, 4], [5, 4]] * 2,
    "said": "",
}


@dataclass(frozen=True)
class Case:
    """A hostile test: its text, and figures of its record, and words that are in it."""

    text: str
    outcome: str
    says: str = ""
    figures: Mapping[str, Any] = field(default_factory=dict)


def hold_cases(project: Project, cases: Mapping[str, Case], *arguments: str) -> pytest.RunResult:
    """Run all cases in one process, and hold the report to what each of them expects."""
    for number, case in enumerate(cases.values()):
        project.tests(HEAD + dedent(case.text) + KNOWN, name=f"test_{number:02}.py")
    result = project.run("--compilecheck-json=report.json", *arguments)
    report = project.read_report()
    assert report["complete"]
    records = {record["id"]: figures(record) for record in report["contracts"]}
    for number, (name, case) in enumerate(cases.items()):
        assert records[f"test_{number:02}.py::test_known"] == KNOWN_COUNTS, f"after: {name}"
        found = records[f"test_{number:02}.py::test_it"]
        wanted = {"outcome": case.outcome, **case.figures}
        assert {figure: found[figure] for figure in wanted} == wanted, f"{name}: {found['said']}"
        assert case.says in found["said"], name
    return result


def figures(record: Mapping[str, Any]) -> dict[str, Any]:
    """What is compared of a contract's record."""
    seen = record["observed"] or {}
    sites, calls = seen.get("break_sites", []), seen.get("timeline", [])
    return {
        "outcome": record["outcome"],
        "graphs": seen.get("graphs"),
        "captured_ops": seen.get("captured_ops"),
        "breaks": [(site["function"], site["gb_id"]) for site in sites],
        "recompiles": seen.get("recompiles"),
        "kinds": [call["kind"] for call in calls],
        "sizes": [call["sizes"].get("x") for call in calls],
        "said": _said(record),
    }


def _said(record: Mapping[str, Any]) -> str:
    seen = record["observed"] or {"fallbacks": [], "problems": []}
    told = [record["error"] or "", *(violation["message"] for violation in record["violations"])]
    told += [f"{fallback['kind']}: {fallback['reason']}" for fallback in seen["fallbacks"]]
    return "\n".join([*told, *seen["problems"], *record["leaks"]]).strip()
