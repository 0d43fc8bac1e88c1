from __future__ import annotations

import json
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.report.ci.junit import junit_text
from pytest_compilecheck.report.ci.markdown import markdown_text
from pytest_compilecheck.report.ci.sarif import sarif_text
from pytest_compilecheck.report.failure import failure_lines
from pytest_compilecheck.report.html.page import html_text
from pytest_compilecheck.report.outcome_reason import outcome_reason, outcome_reasons
from pytest_compilecheck.report.style import plain
from pytest_compilecheck.report.summary_line import headline
from report.values import observation, record, run, site, violation

SKIPPED = record(outcome="skipped", reason="no kernel", id="a.py::t")


def expected_to_fail(**fields: Any) -> ContractRecord:
    broken = violation("max_graph_breaks", 0, 1)
    seen = observation(break_sites=(site(),))
    return record(broken, **{"observed": seen, "outcome": "xfailed", "reason": "2.14", **fields})


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"outcome": "skipped", "reason": "no kernel"}, "skipped: no kernel"),
        ({"outcome": "skipped", "reason": "a\nb"}, "skipped: a b"),
        ({"outcome": "skipped", "reason": ""}, "skipped"),
        ({"outcome": "xfailed", "reason": "2.14"}, "expected to fail: 2.14"),
        ({"outcome": "xpassed", "reason": "2.14"}, "passed, though it is expected to fail: 2.14"),
        ({"outcome": "failed", "reason": "2.14"}, "passed, though it is expected to fail: 2.14"),
        ({"outcome": "skipped"}, ""),
        ({"outcome": "passed"}, ""),
    ],
)
def test_in_words(fields: dict[str, Any], told: str) -> None:
    assert outcome_reason(record(**fields)) == told


def test_a_reason_is_told_once() -> None:
    names = ["a", "b", "c", "d", "e"]
    records = [record(id=name, outcome="skipped", reason="no kernel") for name in names]
    assert list(outcome_reasons([record(), *records, expected_to_fail(id="x")])) == [
        "skipped: no kernel: a, b, c and 2 more",
        "expected to fail: 2.14: x",
    ]


def test_a_headline_has_it() -> None:
    assert headline(SKIPPED) == "skipped: no kernel"
    assert headline(expected_to_fail()) == (
        "1 graph break, 0 allowed: model/mlp.py:14 Data-dependent branching"
        " (expected to fail: 2.14)"
    )
    strict = record(outcome="failed", reason="2.14", observed=observation())
    assert headline(strict) == "passed, though it is expected to fail: 2.14"


def test_what_skips_a_test_is_no_error_of_it() -> None:
    itself = record(
        outcome="skipped", reason="no kernel", error="Skipped: no kernel", observed=observation()
    )
    assert headline(itself) == "skipped: no kernel"
    text = plain(failure_lines(itself, root=".", rerun=None))
    assert text.startswith("skipped: no kernel\n")
    assert "raised" not in text
    raised = record(outcome="xfailed", reason="2.14", error="ValueError: x", observed=observation())
    assert headline(raised) == "ValueError: x (expected to fail: 2.14)"


def test_every_format_has_it() -> None:
    report = run(SKIPPED, expected_to_fail(id="b.py::t"))
    markdown = markdown_text(report)
    assert "- skipped: no kernel: a.py::t\n" in markdown
    assert "- expected to fail: 2.14: b.py::t\n" in markdown
    page = html_text(report)
    assert "<p>skipped: no kernel</p>" in page
    assert "<p>expected to fail: 2.14</p>" in page
    messages = [
        each.attrib["message"] for each in ET.fromstring(junit_text(report)).iter("skipped")
    ]
    assert messages == ["skipped: no kernel", headline(expected_to_fail())]
    (invocation,) = json.loads(sarif_text(report))["runs"][0]["invocations"]
    notes = [each["message"]["text"] for each in invocation["toolExecutionNotifications"]]
    assert notes == ["skipped: no kernel: a.py::t", "expected to fail: 2.14: b.py::t"]
