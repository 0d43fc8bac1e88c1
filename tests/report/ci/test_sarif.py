from __future__ import annotations

import copy
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from jsonschema import Draft4Validator, FormatChecker
from report.drawn import reports
from report.values import (
    fallback,
    frame,
    observation,
    recompile,
    record,
    run,
    site,
    violation,
)

from pytest_compilecheck.judge.audited import AuditedTest
from pytest_compilecheck.judge.run_report import Layout, RunReport
from pytest_compilecheck.judge.told import told_site
from pytest_compilecheck.judge.verdict import Allowed
from pytest_compilecheck.report.ci.sarif import sarif_text

SCHEMA = Path(__file__).parents[2] / "data" / "sarif-schema-2.1.0.json"
VALIDATOR = Draft4Validator(json.loads(SCHEMA.read_text("utf-8")), format_checker=FormatChecker())
LAYOUT = Layout(root="/repo/pkg", repository="/repo")


def log(report: RunReport) -> dict[str, Any]:
    """The one run of the report's log, which is valid."""
    data = json.loads(sarif_text(replace(report, layout=LAYOUT)))
    assert list(VALIDATOR.iter_errors(data)) == []
    (found,) = data["runs"]
    return dict(found)


def results(report: RunReport) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = log(report)["results"]
    return found


SEEN = observation(
    break_sites=(site(),), recompile_events=(recompile(),), fallbacks=(fallback(line=4),)
)
ALL = record(
    violation("max_graph_breaks", 0, 1),
    violation("fallback", 0, 1),
    violation("max_recompiles", 0, 1),
    violation("max_graphs", 1, 2),
    observed=SEEN,
)


def test_the_schema_can_refuse() -> None:
    data = json.loads(sarif_text(run(ALL)))
    for wrong in ("fatal", None):
        changed = copy.deepcopy(data)
        changed["runs"][0]["results"][0]["level"] = wrong
        assert not VALIDATOR.is_valid(changed)


def test_a_run_has_a_rule_for_each_kind() -> None:
    found = log(run(ALL, torch="2.13.0", complete=False))
    driver = found["tool"]["driver"]
    assert driver["name"] == "pytest-compilecheck"
    assert [rule["id"] for rule in driver["rules"]] == [
        "graph_break/GB0170",
        "fallback/recompile_limit",
        "recompile/shape",
        "max_graphs",
    ]
    first = driver["rules"][0]
    assert first["helpUri"] == "https://example.org/gb0170.html"
    assert first["shortDescription"]["text"] == "Data-dependent branching (GB0170)"
    assert [each["ruleIndex"] for each in found["results"]] == [0, 1, 2, 3]
    assert found["columnKind"] == "unicodeCodePoints"
    assert found["invocations"] == [{"executionSuccessful": False}]
    assert found["properties"] == {"torch": "2.13.0", "python": "3.11.7"}
    assert list(found["originalUriBaseIds"]) == ["SRCROOT"]


def test_a_break_without_an_id_has_no_page() -> None:
    broken = record(observed=observation(break_sites=(site(gb_id=None),)))
    (rule,) = log(run(broken))["tool"]["driver"]["rules"]
    assert (rule["id"], "helpUri" in rule) == ("graph_break", False)


def test_the_place_of_a_break() -> None:
    found = results(run(ALL))[0]
    (place,) = found["locations"]
    assert place["physicalLocation"] == {
        "artifactLocation": {"uri": "pkg/model/mlp.py", "uriBaseId": "SRCROOT"},
        "region": {
            "startLine": 14,
            "startColumn": 8,
            "endLine": 14,
            "endColumn": 19,
            "snippet": {"text": "if y.sum() > 0:"},
        },
    }
    assert place["logicalLocations"] == [{"name": "inner", "kind": "function"}]
    (flow,) = found["codeFlows"][0]["threadFlows"]
    steps = [each["location"] for each in flow["locations"]]
    lines = [step["physicalLocation"]["region"]["startLine"] for step in steps]
    assert lines == [7, 14]
    assert [step["message"]["text"] for step in steps] == ["in deep", "in inner"]


def test_a_break_of_an_installed_package_is_placed_in_own_code() -> None:
    foreign = site(file="/x y/site-packages/z.py", owner="third_party", own_frame=frame(line=7))
    (found,) = results(run(record(observed=observation(break_sites=(foreign,)))))
    region = found["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 7}
    last = found["codeFlows"][0]["threadFlows"][0]["locations"][-1]["location"]
    assert last["physicalLocation"]["artifactLocation"] == {
        "uri": "file:///x%20y/site-packages/z.py"
    }


def test_paths_are_percent_encoded() -> None:
    odd = site(file="größe/100% [a]#b.py")
    (found,) = results(run(record(observed=observation(break_sites=(odd,)))))
    uri = found["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri == "pkg/gr%C3%B6%C3%9Fe/100%25%20%5Ba%5D%23b.py"


def test_what_has_no_place_is_in_the_file_of_the_test() -> None:
    place = results(run(ALL))[3]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "pkg/tests/test_mlp.py"
    assert place["region"] == {"startLine": 1}


def test_levels() -> None:
    warned = replace(ALL, outcome="warned")
    held = record(observed=SEEN)
    assert {each["level"] for each in results(run(ALL))} == {"error"}
    assert {each["level"] for each in results(run(warned))} == {"warning"}
    assert {each["level"] for each in results(run(held))} == {"note"}


def test_what_an_exception_excuses_is_suppressed_with_its_reason() -> None:
    allowed = Allowed(rule="r", because="a log", matched=(told_site(site()),))
    held = record(observed=SEEN, verdict={"allowed": (allowed,), "excused_sites": (0,)})
    found = results(run(held))
    assert found[0]["suppressions"] == [{"kind": "external", "justification": "a log"}]
    assert all("suppressions" not in each for each in found[1:])


def test_an_audit_is_notes() -> None:
    audited = AuditedTest(id="test_it.py::test_a", outcome="passed", observed=SEEN)
    found = results(run(audit=(audited,)))
    assert [each["level"] for each in found] == ["note"] * 3


def test_the_message_has_the_cure_and_nothing_that_sarif_reads_as_its_own() -> None:
    odd = site(explanation="f'{x}' and a[0](b)")
    (found,) = results(run(record(observed=observation(break_sites=(odd,)))))
    text = found["message"]["text"]
    assert text.startswith(
        "graph break: Data-dependent branching (GB0170)\ntests/test_mlp.py::test_mlp\n"
    )
    assert "why          f'{{x}}' and a[0] (b)" in text
    assert "hint         Use `torch.cond`" in text


def fingerprints(**fields: Any) -> list[str]:
    seen = observation(break_sites=(site(**fields), site(**{**fields, "column": 9})))
    found = results(run(record(observed=seen)))
    return [each["partialFingerprints"]["compilecheck/v1"] for each in found]


def test_fingerprints_outlive_edits_above_and_part_what_is_other() -> None:
    first, second = fingerprints()
    assert first != second
    assert fingerprints(line=99, code="if y.sum() > 1:", events=7) == [first, second]
    for other in ({"function": "f"}, {"file": "b.py"}, {"gb_id": "GB0059"}):
        assert not {first, second} & set(fingerprints(**other))


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=60)
@given(reports)
def test_any_report_is_valid(report: RunReport) -> None:
    log(report)


@pytest.mark.parametrize("report", [run(), run(record(outcome="error"))])
def test_a_report_without_results(report: RunReport) -> None:
    assert results(report) == []
