from __future__ import annotations

from dataclasses import replace

import pytest
from baseline.values import (
    BREAK,
    CONTRACT,
    FALLBACK,
    HIT_RATE,
    PRINT,
    REBUILD,
    RECOMPILES,
    STEP,
    baseline,
    broken,
    fell_back,
    raised,
    rebuilt,
    slow,
)
from report.values import violation

from pytest_compilecheck.baseline.excuse import Improvement, excused, improvements, seen_counts
from pytest_compilecheck.baseline.known import Baseline, Known
from pytest_compilecheck.baseline.modes import Update
from pytest_compilecheck.judge.findings import Finding
from pytest_compilecheck.judge.record import ContractRecord

NOW = "2.13"


def known(*entries: tuple[Finding, float]) -> Known:
    return baseline(*((f, {NOW: count}) for f, count in entries)).known(CONTRACT, NOW)


@pytest.mark.parametrize(
    ("seen", "entries"),
    [
        (broken(breaks=2, prints=1), [(BREAK, 2), (PRINT, 1)]),
        (broken(breaks=1), [(BREAK, 2), (PRINT, 1)]),
        (rebuilt(2, 1, 2), [(REBUILD, 2), (STEP, 1), (RECOMPILES, 2)]),
        (fell_back("recompile_limit"), [(FALLBACK, 1)]),
        (slow(0.6), [(HIT_RATE, 0.6)]),
    ],
    ids=["breaks", "fewer breaks", "recompiles", "fallbacks", "a share"],
)
def test_what_is_known_is_no_violation(
    seen: ContractRecord, entries: list[tuple[Finding, float]]
) -> None:
    verdict = excused(seen, known(*entries)).verdict
    assert verdict.holds
    assert verdict.known == seen.verdict.violations


@pytest.mark.parametrize(
    ("seen", "entries", "told"),
    [
        (broken(breaks=3), [(BREAK, 2)], 2),
        (broken(breaks=2, prints=1), [(BREAK, 2)], 2),
        (broken(prints=1), [(BREAK, 2)], None),
        (rebuilt(2, 1, 2), [(REBUILD, 2), (RECOMPILES, 2)], 2),
        (rebuilt(2, 1, 3), [(REBUILD, 2), (STEP, 1), (RECOMPILES, 2)], 2),
        (fell_back("recompile_limit", "disabled"), [(FALLBACK, 1)], 1),
        (slow(0.5), [(HIT_RATE, 0.6)], 0.6),
        (slow(0.5), [], None),
    ],
    ids=["one more", "another", "only another", "new cause", "more often", "kind", "less", "new"],
)
def test_what_is_new_or_worse_is_a_violation(
    seen: ContractRecord, entries: list[tuple[Finding, float]], told: float | None
) -> None:
    verdict = excused(seen, known(*entries)).verdict
    (before,) = seen.verdict.violations
    assert verdict.violations == (replace(before, known=told),)
    assert verdict.known == ()


def test_of_a_broken_bound_what_is_known_is_told_apart() -> None:
    verdict = excused(broken(breaks=2, prints=1), known((BREAK, 2))).verdict
    assert verdict.known_sites == (0, 1)
    verdict = excused(rebuilt(2, 2, 4), known((REBUILD, 2), (RECOMPILES, 2))).verdict
    assert verdict.known_recompiles == (0, 1)
    verdict = excused(fell_back("recompile_limit", "disabled"), known((FALLBACK, 1))).verdict
    assert verdict.known_fallbacks == (0,)


def test_where_only_the_sum_is_worse_every_place_is_shown() -> None:
    verdict = excused(rebuilt(2, 1, 3), known((REBUILD, 2), (STEP, 1), (RECOMPILES, 2))).verdict
    assert verdict.known_recompiles == ()


def test_one_bound_may_be_known_and_another_not() -> None:
    both = broken(breaks=1)
    worse = violation("max_graphs", 1, 3)
    both = replace(
        both, verdict=replace(both.verdict, violations=(*both.verdict.violations, worse))
    )
    verdict = excused(both, known((BREAK, 1))).verdict
    assert [each.bound for each in verdict.violations] == ["max_graphs"]
    assert [each.bound for each in verdict.known] == ["max_graph_breaks"]
    assert verdict.known_sites == (0,)


@pytest.mark.parametrize("update", [None, "new", "tighten", "all"])
def test_what_no_baseline_can_know_stays(update: object) -> None:
    lost = violation("nothing_compiled", 0, 1)
    seen = broken(breaks=1)
    seen = replace(seen, verdict=replace(seen.verdict, violations=(lost,)))
    assert excused(seen, known((BREAK, 1)), update).verdict.violations == (lost,)  # type: ignore[arg-type]


def test_what_the_run_will_write_counts_as_known() -> None:
    nothing = Baseline().known(CONTRACT, NOW)
    assert not excused(broken(breaks=1), nothing).verdict.holds
    assert not excused(broken(breaks=1), nothing, "tighten").verdict.holds
    assert excused(broken(breaks=1), nothing, "new").verdict.holds
    assert excused(broken(breaks=1), nothing, "all").verdict.holds
    less = known((BREAK, 1))
    assert not excused(broken(breaks=2), less, "new").verdict.holds
    assert excused(broken(breaks=2), less, "all").verdict.holds
    other_release = baseline((BREAK, {"2.12": 1})).known(CONTRACT, NOW)
    assert not excused(broken(breaks=2), other_release).verdict.holds
    assert excused(broken(breaks=2), other_release, "new").verdict.holds


@pytest.mark.parametrize("update", ["new", "all"])
def test_what_the_run_will_not_write_is_new(update: Update) -> None:
    nothing = Baseline().known(CONTRACT, NOW)
    assert not excused(raised(broken(breaks=1)), nothing, update).verdict.holds
    assert not excused(slow(0.0), nothing, update).verdict.holds


@pytest.mark.parametrize("rate", [None, 0.0])
def test_a_figure_that_cannot_be_known_is_no_better(rate: float | None) -> None:
    assert improvements(slow(rate), known((HIT_RATE, 0.5))) == []


@pytest.mark.parametrize(
    ("seen", "entries", "better"),
    [
        (broken(breaks=1), [(BREAK, 2), (PRINT, 1)], [(BREAK, 2, 1), (PRINT, 1, None)]),
        (broken(breaks=2), [(BREAK, 2)], []),
        (broken(breaks=3), [(BREAK, 2)], []),
        (broken(), [(BREAK, 2)], [(BREAK, 2, None)]),
        (slow(0.8), [(HIT_RATE, 0.6)], [(HIT_RATE, 0.6, 0.8)]),
        (slow(0.60001), [(HIT_RATE, 0.6)], []),
        (broken(breaks=1, error="ValueError: x"), [(BREAK, 2)], []),
        (broken(breaks=1, outcome="xfailed"), [(BREAK, 2)], []),
    ],
)
def test_what_is_better_is_told(
    seen: ContractRecord,
    entries: list[tuple[Finding, float]],
    better: list[tuple[Finding, float, float | None]],
) -> None:
    assert improvements(seen, known(*entries)) == [
        Improvement(*each, needed=each[-1] is not None) for each in better
    ]


def test_a_release_without_figures_is_no_better() -> None:
    of_another = baseline((BREAK, {"2.12": 2})).known(CONTRACT, NOW)
    assert improvements(broken(breaks=1), of_another) == []


def test_known_and_new_findings_are_both_seen() -> None:
    record = excused(broken(breaks=2, prints=1), known((BREAK, 2), (PRINT, 1)))
    assert seen_counts(record) == {BREAK: 2, PRINT: 1}
