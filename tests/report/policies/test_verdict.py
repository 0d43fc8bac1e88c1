from __future__ import annotations

import dataclasses

from policies.values import compared, policy_run, replay

from pytest_compilecheck.policies.measured import Comparison
from pytest_compilecheck.report.policies.verdict import choice_text, left_out_text, ranges_text

# 40 requests; what is compiled is known to a tenth.
STATIC = replay("static", (1.0, 1.0), (0.1, 0.1))
POW2 = replay("pow2", (9.0, 0.1), (0.05, 0.05))
CLOSE = replay("multiple(64)", (2.5, 0.1), (0.09, 0.09))
FAILED = policy_run("auto", error="it hung")


def test_the_best_is_told_with_its_cost_and_the_next() -> None:
    assert choice_text(compared(STATIC, POW2)) == (
        "static costs the least: 5.8 s ± 0.18; the next, pow2 (11 s ± 0.9), costs 90% more"
    )


def test_what_is_too_close_is_told_with_all_that_are_near() -> None:
    third = dataclasses.replace(STATIC, policy="auto")
    assert choice_text(compared(STATIC, POW2, CLOSE, third)) == (
        "too close to call, because they differ by less than the noise:"
        " auto (5.8 s ± 0.18), static (5.8 s ± 0.18), multiple(64) (6.02 s ± 0.24)"
    )


def test_the_only_one_and_none() -> None:
    assert choice_text(compared(STATIC, FAILED)) == (
        "static (5.8 s ± 0.18); no other policy can be preferred"
    )
    assert choice_text(compared(FAILED)) == (
        "no policy can be preferred: none of them ran the whole trace right"
    )


def test_where_each_is_the_cheapest() -> None:
    assert ranges_text(compared(STATIC, POW2)) == (
        "static costs the least below 144 requests of this mix, pow2 from 144 on"
    )
    assert ranges_text(compared(STATIC)) == (
        "static costs the least from 2 requests of this mix on"
    )
    assert ranges_text(compared(FAILED)) == ""


def test_three_ranges() -> None:
    middle = replay("dynamic", (4.0, 0.1), (0.07, 0.07))
    found = ranges_text(compared(STATIC, POW2, middle))
    assert found == (
        "static costs the least below 72 requests of this mix, dynamic below 252, pow2 from 252 on"
    )


def test_a_change_within_the_noise() -> None:
    both = compared(STATIC, POW2)
    first, then = both.ranges
    noisy = dataclasses.replace(both, ranges=(first, dataclasses.replace(then, close=True)))
    assert ranges_text(noisy) == f"{ranges_text(both)}; the change to pow2 is within the noise"


def test_why_some_are_left_out() -> None:
    wrong = dataclasses.replace(POW2, mismatch="output\n1 / 6")
    assert left_out_text(compared(STATIC, wrong, FAILED)) == [
        "pow2 cannot be preferred: its outputs differ from the eager run: output 1 / 6",
        "auto cannot be preferred: it could not be run: it hung",
    ]
    assert left_out_text(compared(STATIC, POW2)) == []


def test_names_are_made_harmless() -> None:
    evil = compared(
        *(dataclasses.replace(each, policy=f"{each.policy}\x1b") for each in (STATIC, POW2))
    )
    for text in (choice_text(evil), ranges_text(evil)):
        assert "\x1b" not in text
        assert "\\x1b" in text


def test_a_comparison_without_costs_of_its_own_is_told() -> None:
    empty = Comparison(requests=0, backend="eager", device="cpu", runs=())
    assert ranges_text(empty) == ""
    assert left_out_text(empty) == []
