from __future__ import annotations

from dataclasses import replace

from baseline.values import BREAK, CONTRACT, FALLBACK, PRINT, baseline, broken
from report.values import run

from pytest_compilecheck.baseline.excuse import Improvement, excused
from pytest_compilecheck.baseline.known import Baseline, Recorded
from pytest_compilecheck.baseline.told import (
    changes_lines,
    held_lines,
    improvement_text,
    new_lines,
    standing,
    unclear_lines,
)
from pytest_compilecheck.baseline.update import Changes
from pytest_compilecheck.report.finding_text import finding_text


def command(update: str) -> str:
    return f"update {update}"


def test_what_is_better_tells_both_figures() -> None:
    assert improvement_text(Improvement(BREAK, 3, 1)).endswith(": 3 known, 1 seen")
    assert improvement_text(Improvement(BREAK, 3, None)).endswith(": 3 known, gone")


def test_changes_are_counted_and_listed() -> None:
    assert changes_lines(Changes(), "b.yaml") == ["baseline b.yaml: nothing to change"]
    changes = Changes(added=[PRINT, BREAK], dropped=[FALLBACK], released=True)
    assert changes_lines(changes, "b.yaml") == [
        "baseline b.yaml: 2 added, 1 dropped, figures of this release of torch recorded",
        f"added: {CONTRACT}: graph break GB0059 in inner, model/mlp.py",
        f"added: {CONTRACT}: graph break GB0170 in inner, model/mlp.py",
        f"dropped: {CONTRACT}: fallback recompile_limit in forward, model/mlp.py",
    ]
    many = Changes(added=[replace(BREAK, function=f"f{n}") for n in range(22)])
    assert changes_lines(many, "b.yaml")[-1] == "and 2 more findings"


def test_what_only_the_baseline_holds_is_counted() -> None:
    known = baseline((BREAK, {"2.13": 1}))
    seen = excused(broken(breaks=1), known.known(CONTRACT, "2.13"))
    records = [seen, broken(id="b.py::t"), broken(breaks=1, id="c.py::t")]
    assert held_lines(records) == ["1 contract held by the baseline only"]
    assert held_lines(records[1:]) == []
    assert new_lines(records, "2.13.0")[0].endswith(" 1 with something new, 1 held by the baseline")


def test_nothing_is_said_of_what_stands_as_it_is_known() -> None:
    known = baseline((BREAK, {"2.13": 1}))
    seen = excused(broken(breaks=1), known.known(CONTRACT, "2.13"))
    assert standing(known, [seen, broken(id="b.py::t")], "2.13.0", [], command) == []


def test_better_findings_and_contracts_that_are_no_more_come_with_the_cure() -> None:
    known = baseline((BREAK, {"2.13": 2}))
    assert standing(known, [broken(breaks=1)], "2.13.0", ["a.py::old"], command) == [
        f"better than the baseline: {CONTRACT}: {finding_text(BREAK)}: 2 known, 1 seen",
        "better than the baseline: a.py::old: there is no such contract any more",
        "hold it: update tighten",
    ]
    lines = standing(known, [], "2.13.0", [f"a.py::t{n}" for n in range(30)], command)
    assert (len(lines), lines[-2]) == (22, "and 10 more findings better than the baseline")


def test_a_release_without_figures_is_told_once() -> None:
    known = baseline((BREAK, {"2.12": 1}))
    assert standing(known, [broken(breaks=1)], "2.13.0", [], command) == [
        (
            "the baseline has no figures of torch 2.13 for 1 contract: held to those of 2.12;"
            " record them: update new"
        )
    ]


def test_versions_that_changed_are_told_beside_what_is_new() -> None:
    recorded = {"2.13": Recorded("2.13.0", {"einops": "0.8.0", "other": "1"})}
    known = Baseline({}, recorded)
    seen = broken(breaks=1, packages={"einops": "0.9.0", "another": "2"})
    told = "the baseline was recorded with other versions: einops 0.8.0 then, 0.9.0 now"
    assert standing(known, [seen], "2.13.0", [], command) == [told]
    holds = broken(packages={"einops": "0.9.0"})
    assert standing(known, [holds], "2.13.0", [], command) == []


def test_a_report_tells_its_figures_and_what_is_new() -> None:
    lines = new_lines([broken(breaks=1), broken(id="b.py::t")], "2.13.0")
    assert lines == [
        "torch 2.13.0: 2 contracts, 1 with something new, 0 held by the baseline",
        f"new: {CONTRACT}: 1 graph break, 0 allowed: model/mlp.py:0 Data-dependent branching",
    ]


def test_what_was_not_measured_is_unclear() -> None:
    assert unclear_lines(run(broken(breaks=1))) == []
    failed = broken(error="ValueError: x", outcome="failed")
    report = run(failed, broken(outcome="error"), complete=False, missing=("a", "b"))
    assert unclear_lines(report) == [
        f"not measured: {CONTRACT}: ValueError: x",
        f"not measured: {CONTRACT}: error",
        "incomplete: 2 contracts did not run to the end: a, b",
    ]
