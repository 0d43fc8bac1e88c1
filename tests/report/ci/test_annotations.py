from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
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

from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.judge.run_report import Layout, RunReport
from pytest_compilecheck.report.ci.annotations import annotations_text

LAYOUT = Layout(root="/repo/pkg", repository="/repo")
COMMAND = re.compile("::(error|warning|notice) ([^:]*)::([^\r\n]*)")


def told(*contracts: ContractRecord) -> list[str]:
    return annotations_text(run(*contracts, layout=LAYOUT)).splitlines()


def broken(*sites: Any, **fields: Any) -> ContractRecord:
    seen = observation(break_sites=sites or (site(),))
    return record(violation("max_graph_breaks", 0, 1), observed=seen, **fields)


def test_a_break_is_on_the_line_that_breaks() -> None:
    (line,) = told(broken())
    assert line == (
        "::error file=pkg/model/mlp.py,line=14,col=8,endLine=14,endColumn=19,"
        "title=graph break%3A Data-dependent branching (GB0170)::"
        "tests/test_mlp.py::test_mlp%0A"
        "called from  model/mlp.py:7 in deep%0A"
        "how often    3 events in calls 0, 1; runs once in every warm call%0A"
        "why          Detected data-dependent branching.%0A"
        "hint         Use `torch.cond` to express dynamic control flow.%0A"
        "docs         https://example.org/gb0170.html"
    )


def test_without_a_column_the_line_stands_alone() -> None:
    (line,) = told(broken(site(column=None, end_column=None)))
    assert "file=pkg/model/mlp.py,line=14,title=" in line


def test_a_break_of_an_installed_package_is_on_the_own_line_that_led_there() -> None:
    foreign = site(file="/x/site-packages/y.py", owner="third_party", own_frame=frame(line=7))
    (line,) = told(broken(foreign))
    assert line.startswith("::error file=pkg/model/mlp.py,line=7,title=")
    assert "%0Aat /x/site-packages/y.py:14%0A" in line


def test_what_is_nowhere_in_the_repository_is_at_the_file_of_the_test() -> None:
    (line,) = told(broken(site(file="/x/site-packages/y.py", owner="third_party", own_frame=None)))
    assert line.startswith("::error file=pkg/tests/test_mlp.py,line=1,title=")


def test_recompiles_and_fallbacks_are_at_their_functions() -> None:
    seen = observation(recompile_events=(recompile(),), fallbacks=(fallback(line=4),))
    failed = record(violation("max_recompiles", 0, 1), violation("fallback", 0, 1), observed=seen)
    first, second = told(failed)
    assert first.startswith(
        "::error file=pkg/model/mlp.py,line=4,title=fallback%3A torch's limit of rebuilds is"
    )
    assert second.startswith(
        "::error file=pkg/model/mlp.py,line=9,title=recompile%3A x.size(1)%3A 128 -> 129::"
    )


def test_what_is_only_warned_of_is_a_warning_and_what_holds_is_nothing() -> None:
    (line,) = told(broken(outcome="warned"), record(observed=observation(break_sites=(site(),))))
    assert line.startswith("::warning file=pkg/model/mlp.py,line=14,")


def test_contracts_that_break_at_one_line_are_one_annotation() -> None:
    (line,) = told(*(broken(id=f"tests/test_mlp.py::test_{name}") for name in "abc"))
    assert "::tests/test_mlp.py::test_a, and 2 more contracts%0A" in line


def test_ten_of_each_kind_the_worst_first_and_a_notice_of_the_rest() -> None:
    def at(line: int, **fields: Any) -> ContractRecord:
        return broken(site(line=line), id=f"test_it.py::test_{line}", **fields)

    many = [at(line) for line in range(1, 13)] + [at(12, part="again")]
    lines = told(*many, *(at(line, outcome="warned") for line in range(21, 32)))
    assert [line.split(" ")[0] for line in lines] == ["::error"] * 10 + ["::warning"] * 10 + [
        "::notice"
    ]
    assert ",line=12," in lines[0]
    assert lines[-1] == (
        "::notice title=compilecheck::2 more errors and 1 more warning of compile contracts:"
        " GitHub shows 10 of each kind for a step. The log has the rest."
    )


@pytest.mark.parametrize(
    ("file", "escaped"), [("a,b:c.py", "a%2Cb%3Ac.py"), ("100%.py", "100%25.py")]
)
def test_properties_are_escaped(file: str, escaped: str) -> None:
    (line,) = told(broken(site(file=file)))
    assert f"file=pkg/{escaped},line=14," in line


def test_a_message_keeps_its_colons_and_escapes_percents() -> None:
    (line,) = told(broken(site(explanation="100%: sure, yes")))
    assert "why          100%25: sure, yes%0A" in line


def test_nothing_to_tell_is_no_text() -> None:
    assert annotations_text(run()) == ""


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(reports)
def test_any_report_is_lines_of_commands(report: RunReport) -> None:
    text = annotations_text(replace(report, layout=LAYOUT))
    lines = text.split("\n")
    assert lines.pop() == ""
    assert all(COMMAND.fullmatch(line) for line in lines)
