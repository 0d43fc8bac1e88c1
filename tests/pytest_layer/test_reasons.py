"""Reasons of skips and expected failures, from pytest's report into the record."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_layer.projects import Project

TESTS = """
import unittest

@pytest.fixture
def kernel():
    pytest.skip("no kernel in the fixture")

@pytest.mark.skip(reason="no kernel")
@compile_contract(shapes=[(2, 3)])
def test_mark(x):
    return x + 1

@pytest.mark.skipif(True, reason="not here")
@compile_contract(shapes=[(2, 3)])
def test_condition(x):
    return x + 1

@compile_contract(shapes=[(2, 3)])
def test_fixture(x, kernel):
    return x + 1

@compile_contract(shapes=[(2, 3)])
def test_itself(x):
    pytest.skip("later\\nand more")

@pytest.mark.xfail(reason="breaks")
@compile_contract(shapes=[(2, 3)])
def test_xfail(x):
    print("break")
    return x + 1

@pytest.mark.xfail
@compile_contract(shapes=[(2, 3)])
def test_no_reason(x):
    print("break")
    return x + 1

@compile_contract(watch_only=True)
def test_imperative():
    pytest.xfail("not yet")

@pytest.mark.xfail(reason="was broken")
@compile_contract(shapes=[(2, 3)])
def test_xpass(x):
    return x + 1

@pytest.mark.xfail(reason="was broken", strict=True)
@compile_contract(shapes=[(2, 3)])
def test_strict(x):
    return x + 1

@pytest.mark.xfail(reason="another error", raises=KeyError)
@compile_contract(shapes=[(2, 3)])
def test_other(x):
    print("break")
    return x + 1

class TestIt(unittest.TestCase):
    @compile_contract(watch_only=True)
    def test_unittest(self):
        self.skipTest("no device")

@compile_contract(shapes=[(2, 3)])
def test_holds(x):
    return x + 1
"""

REASONS = {
    "test_mark": ("skipped", "no kernel"),
    "test_condition": ("skipped", "not here"),
    "test_fixture": ("skipped", "no kernel in the fixture"),
    "test_itself": ("skipped", "later\nand more"),
    "test_xfail": ("xfailed", "breaks"),
    "test_no_reason": ("xfailed", ""),
    "test_imperative": ("xfailed", "not yet"),
    "test_xpass": ("xpassed", "was broken"),
    "test_strict": ("failed", "was broken"),
    "test_other": ("failed", None),
    "test_unittest": ("skipped", "no device"),
    "test_holds": ("passed", None),
}


def reasons(report: dict[str, Any]) -> dict[str, tuple[str, str | None]]:
    contracts = report["contracts"]
    return {each["id"].split("::")[-1]: (each["outcome"], each["reason"]) for each in contracts}


@pytest.mark.slow
def test_the_record_has_the_reason_and_the_same_under_xdist(project: Project) -> None:
    project.tests(TESTS)
    result = project.run("--compilecheck-json=report.json")
    assert reasons(project.read_report()) == REASONS
    result.stdout.fnmatch_lines(["skipped: no kernel: test_it.py::test_mark"])
    project.run("-n2", "--compilecheck-json=report.json")
    assert reasons(project.read_report()) == REASONS


def test_the_reason_in_a_contract_file(project: Project) -> None:
    project.file(
        "contracts/a.contract.yaml",
        """
        version: 1
        contracts:
          relu:
            target: torch.nn:ReLU
            inputs: {input: "2 3"}
            skip: {reason: no kernel}
        """,
    )
    project.run("--compilecheck-json=report.json")
    (contract,) = project.read_report()["contracts"]
    assert (contract["outcome"], contract["reason"]) == ("skipped", "no kernel")
