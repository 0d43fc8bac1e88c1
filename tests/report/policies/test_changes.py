from __future__ import annotations

import dataclasses

from judge.policy_reports import MB, measured, policy, report_of
from report.values import run

from pytest_compilecheck.judge.comparison import compare
from pytest_compilecheck.judge.policy_changes import CostChange, PolicyChanges, Standing
from pytest_compilecheck.report.diff import diff_text
from pytest_compilecheck.report.policies.changes import policy_changes_lines

SAME = "torch 2.13.0: the findings are the same"


def test_what_costs_more_is_shown_without_being_worse() -> None:
    before = report_of(
        policy("auto", 1.0, peak_memory=400 * MB), policy("pow2", 2.0), policy("static", 5.0)
    )
    after = report_of(
        policy("auto", 3.0, peak_memory=500 * MB), policy("pow2", 2.0), policy("static", 4.0)
    )
    assert diff_text(compare(before, after)).splitlines() == [
        SAME,
        "       tests/test_mlp.py::test_mlp: passed",
        "    auto cost the least, now pow2",
        "    policy auto: costs 2.38 s -> 6.38 s (+168%)",
        "    policy auto: peak memory 400 MB -> 500 MB (+25%)",
        "    policy static: costs 10.4 s -> 8.38 s (-19%)",
        "0 contracts worse, 1 with another cheapest policy or a dearer one, 0 the same",
    ]


def test_what_only_costs_less_is_shown_where_all_is() -> None:
    before, after = report_of(policy("auto", 3.0)), report_of(policy("auto", 1.0))
    diff = compare(before, after)
    assert diff_text(diff) == f"{SAME}\n0 contracts worse, 0 the same; -v shows all that differ\n"
    assert "    policy auto: costs 6.38 s -> 2.38 s (-63%)" in diff_text(diff, verbose=True)


def test_a_policy_that_runs_wrong_now() -> None:
    wrong = report_of(policy("auto", mismatch="output: 1 / 6"))
    why = "its outputs differ from the eager run: output: 1 / 6"
    assert diff_text(compare(report_of(policy("auto")), wrong)).splitlines()[1:] == [
        "worse  tests/test_mlp.py::test_mlp: passed",
        f"    policy auto cannot be preferred any more: {why}",
        "1 contract worse, 0 the same",
    ]
    lines = diff_text(compare(wrong, report_of(policy("auto"))), verbose=True).splitlines()
    assert lines[1].startswith("better")
    assert lines[2] == f"    policy auto can be preferred now; before, {why}"


def test_what_was_measured_in_one_report_alone_and_other_work() -> None:
    record = measured(policy("auto", counts=(30, 20)), policy("pow2"))
    assert record.policies is not None
    elsewhere = dataclasses.replace(
        record, policies=dataclasses.replace(record.policies, backend="eager")
    )
    before = report_of(policy("auto"), policy("static"))
    assert diff_text(compare(before, run(elsewhere)), verbose=True).splitlines()[2:-1] == [
        "    policy pow2 was measured only in the second report",
        "    policy static was measured only in the first report",
        "    what policies cost is not compared: another backend, another trace",
    ]


def test_what_is_too_close_to_call_is_told_as_such() -> None:
    changes = PolicyChanges(cheapest_before=("auto",), cheapest_after=("pow2", "static"))
    assert list(policy_changes_lines(changes)) == [
        "auto cost the least, now pow2 (too close to call: static)"
    ]


def test_names_and_reasons_cannot_steer_a_terminal() -> None:
    evil = "\x1b[2J\n"
    changes = PolicyChanges(
        standings=(Standing(evil, "", evil), Standing(evil, evil, ""), Standing(evil, None, "")),
        cheapest_before=(evil, evil),
        cheapest_after=(evil,),
        costs=(CostChange(evil, "total", 1.0, 2.0),),
    )
    lines = list(policy_changes_lines(changes))
    assert len(lines) == 5
    assert all(line.isprintable() for line in lines)
