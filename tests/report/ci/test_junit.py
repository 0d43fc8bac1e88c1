from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

from hypothesis import HealthCheck, given, settings
from report.drawn import reports
from report.values import entry, observation, record, run, site, violation

from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.judge.run_report import RunReport
from pytest_compilecheck.report.ci.junit import junit_text
from pytest_compilecheck.report.ci.properties import properties as properties_of
from pytest_compilecheck.report.failure import failure_lines, rerun_command
from pytest_compilecheck.report.style import plain
from pytest_compilecheck.report.wording import printable_lines


def suite_of(report: RunReport) -> ET.Element:
    root = ET.fromstring(junit_text(report))
    (suite,) = root
    return suite


def case_of(contract: ContractRecord) -> ET.Element:
    (case,) = suite_of(run(contract)).iter("testcase")
    return case


def properties(element: ET.Element) -> list[tuple[str, str]]:
    return [
        (each.attrib["name"], each.attrib["value"]) for each in element.find("properties") or ()
    ]


def broken(**fields: Any) -> ContractRecord:
    seen = observation(break_sites=(site(),))
    return record(violation("max_graph_breaks", 0, 1), observed=seen, **fields)


def test_a_failure_is_the_text_of_the_terminal() -> None:
    case = case_of(broken())
    (failure,) = case.iter("failure")
    rerun = rerun_command("tests/test_mlp.py::test_mlp")
    assert failure.text == plain(failure_lines(broken(), root=".", rerun=rerun))
    assert failure.attrib["message"] == (
        "1 graph break, 0 allowed: model/mlp.py:14 Data-dependent branching"
    )


def test_a_case_has_its_names_its_time_and_its_figures() -> None:
    contract = record(
        id="tests/test_mlp.py::TestMlp::test_mlp[a b]",
        part="prefill",
        observed=observation(timeline=(entry(0, "compile"), entry(1))),
    )
    case = case_of(contract)
    assert case.attrib == {
        "classname": "tests.test_mlp",
        "name": "TestMlp::test_mlp[a b] (prefill)",
        "file": "tests/test_mlp.py",
        "time": "1.000",
    }
    assert properties(case) == properties_of(contract)
    assert len(case) == 1


def test_outcomes_as_junit_has_them() -> None:
    outcomes = ["passed", "warned", "failed", "skipped", "xfailed", "xpassed", "error"]
    suite = suite_of(run(*(broken(id=each, outcome=each) for each in outcomes)))
    counted = {name: suite.attrib[name] for name in ("tests", "failures", "errors", "skipped")}
    assert counted == {"tests": "7", "failures": "1", "errors": "1", "skipped": "2"}
    tags = {case.attrib["name"]: [each.tag for each in case][1:] for case in suite.iter("testcase")}
    assert tags == {
        "passed": [],
        "warned": ["system-out"],
        "failed": ["failure"],
        "skipped": ["skipped"],
        "xfailed": ["skipped"],
        "xpassed": [],
        "error": ["error"],
    }


def test_the_suite_says_with_what_it_was_measured() -> None:
    assert properties(suite_of(run(complete=False, missing=("b.py::t", "a.py::t")))) == [
        ("torch", "2.13.0"),
        ("python", "3.11.7"),
        ("complete", "false"),
        ("missing", "a.py::t b.py::t"),
    ]


def test_what_xml_cannot_hold_is_escaped() -> None:
    case = case_of(broken(id="a.py::t[\x00\x1b\ufffe\ud800]", error="bell \x07"))
    assert case.attrib["name"] == "t[\\x00\\x1b\\ufffe\\ud800]"
    assert "bell \\x07" in (case.findtext("failure") or "")


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(reports)
def test_any_report_is_xml(report: RunReport) -> None:
    suite = suite_of(report)
    assert len(list(suite.iter("testcase"))) == len(report.contracts)
    junit_text(report).encode("utf-8")


def test_nothing_of_it_steers_a_terminal() -> None:
    told = junit_text(run(broken(id="a\x9b2J\u202e.py::t\x7f", part="p\r\x85"), torch="\x9b"))
    assert printable_lines(told) == told
