from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import given
from judge.policy_reports import MB, comparisons, mirrored, policy
from policies.values import compared

from pytest_compilecheck import codec
from pytest_compilecheck.judge.policy_changes import (
    CostChange,
    PolicyChanges,
    Standing,
    policy_changes,
)
from pytest_compilecheck.policies.compare import nearest
from pytest_compilecheck.policies.measured import Comparison, PolicyRun

STATIC = policy("static")


def changes(before: PolicyRun, after: PolicyRun) -> PolicyChanges | None:
    return policy_changes(compared(before), compared(after))


def found(before: PolicyRun, after: PolicyRun) -> PolicyChanges:
    differing = changes(before, after)
    assert differing is not None
    return differing


@pytest.mark.parametrize("seconds", [0.9, 1.0, 1.1, 1.2])
def test_a_total_within_the_noise_of_both_is_silent(seconds: float) -> None:
    assert changes(STATIC, policy("static", seconds)) is None


@pytest.mark.parametrize(("seconds", "costlier"), [(1.4, True), (0.7, False)])
def test_a_total_beyond_the_noise_of_both_is_told_and_decides_nothing(
    seconds: float, costlier: bool
) -> None:
    differing = found(STATIC, policy("static", seconds))
    total = pytest.approx(2 * seconds + 38 * 0.01)
    assert differing.costs == (CostChange("static", "total", pytest.approx(2.38), total),)
    assert (differing.worse, differing.better, differing.costlier) == (False, False, costlier)


def test_noise_is_that_of_both_reports() -> None:
    before, after = compared(STATIC), compared(policy("static", 1.4))
    noisy = tuple(dataclasses.replace(cost, noise=0.7) for cost in after.costs)
    assert policy_changes(before, after) is not None
    assert policy_changes(before, dataclasses.replace(after, costs=noisy)) is None
    assert policy_changes(dataclasses.replace(after, costs=noisy), before) is None


@pytest.mark.parametrize("quantity", ["peak_memory", "peak_device_memory"])
def test_memory_that_differs_by_more_than_a_twentieth(quantity: str) -> None:
    def peak(size: int | None) -> PolicyRun:
        return policy("static", **{quantity: size})

    assert changes(peak(400 * MB), peak(420 * MB)) is None
    assert changes(peak(380 * MB), peak(400 * MB)) is None
    assert changes(peak(None), peak(420 * MB)) is None
    more = found(peak(400 * MB), peak(430 * MB))
    assert more.costs == (CostChange("static", quantity, 400 * MB, 430 * MB),)  # type: ignore[arg-type]
    assert more.costlier
    assert not found(peak(430 * MB), peak(400 * MB)).costlier


def test_another_policy_is_the_cheapest() -> None:
    before = compared(STATIC, policy("auto", 2.0))
    after = compared(policy("static", 3.0), policy("auto", 2.0))
    differing = policy_changes(before, after)
    assert differing is not None
    assert (differing.cheapest_before, differing.cheapest_after) == (("static",), ("auto",))
    assert differing.costlier


def test_it_is_no_other_where_one_policy_may_be_the_cheapest_in_both() -> None:
    before = compared(STATIC, policy("auto", 1.1))
    after = compared(STATIC, policy("auto", 0.95))
    assert before.choice is not None
    assert after.choice is not None
    assert (before.choice.preferred, after.choice.preferred) == ("static", "auto")
    assert policy_changes(before, after) is None


WRONG: list[dict[str, Any]] = [
    {"mismatch": "output: 1 / 6"},
    {"error": "it hung"},
    {"fallbacks": 1},
    {"variants": 0},
]


@pytest.mark.parametrize("wrong", WRONG)
def test_a_policy_that_runs_wrong_now_is_worse_and_its_cost_is_of_no_use(
    wrong: dict[str, Any],
) -> None:
    broke = found(STATIC, policy("static", 5.0, **wrong))
    (standing,) = broke.standings
    assert (standing.before, standing.lost, broke.costs) == ("", True, ())
    assert (broke.worse, broke.better) == (True, False)
    mended = found(policy("static", 5.0, **wrong), STATIC)
    assert (mended.worse, mended.better) == (False, True)


def test_other_words_for_why_a_policy_runs_wrong_are_no_change() -> None:
    one, other = (policy("static", mismatch=f"output: {count} / 6") for count in (1, 2))
    assert changes(one, other) is None


@pytest.mark.parametrize("wrong", [{}, WRONG[0]])
def test_a_policy_that_one_report_alone_measured_is_neither_worse_nor_better(
    wrong: dict[str, Any],
) -> None:
    both, one = compared(STATIC, policy("auto", 1.1, **wrong)), compared(STATIC)
    for before, after in ((both, one), (one, both), (None, both), (both, None)):
        differing = policy_changes(before, after)
        assert differing is not None
        assert "auto" in [each.policy for each in differing.standings]
        assert all(None in (each.before, each.after) for each in differing.standings)
        assert (differing.worse, differing.better, differing.costlier) == (False, False, False)


def with_backend(comparison: Comparison) -> Comparison:
    return dataclasses.replace(comparison, backend="eager")


def on_a_device(comparison: Comparison) -> Comparison:
    return dataclasses.replace(comparison, device="an accelerator")


@pytest.mark.parametrize(
    ("after", "others"),
    [
        (with_backend(compared(policy("static", 9.0))), ("backend",)),
        (on_a_device(compared(policy("static", 9.0))), ("device",)),
        (compared(policy("static", 9.0, counts=(30, 20))), ("trace",)),
        (with_backend(compared(policy("static", 9.0, counts=(10, 30)))), ("backend", "trace")),
    ],
)
def test_costs_of_other_work_are_not_compared(after: Comparison, others: tuple[str, ...]) -> None:
    assert policy_changes(compared(STATIC), after) == PolicyChanges(others=others)  # type: ignore[arg-type]


def test_other_work_does_not_hide_a_policy_that_runs_wrong() -> None:
    wrong = compared(STATIC, policy("auto", mismatch="output: 1 / 6", counts=(30, 20)))
    differing = policy_changes(compared(STATIC, policy("auto")), wrong)
    assert differing is not None
    assert (differing.others, differing.worse) == (("trace",), True)


def test_where_no_policy_ran_the_whole_trace_it_is_not_said_to_be_another() -> None:
    cut = policy("static", warm=STATIC.warm[:1], error="it hung")
    assert found(STATIC, cut) == PolicyChanges(
        standings=(Standing("static", "", "it could not be run: it hung"),)
    )


def test_json() -> None:
    before = compared(STATIC)
    after = compared(policy("static", mismatch="output: 1 / 6"))
    data = codec.encode(policy_changes(before, after))
    assert data["worse"] is True
    assert data["standings"][0]["policy"] == "static"


@given(comparisons)
def test_a_comparison_does_not_differ_from_itself(comparison: Comparison | None) -> None:
    assert policy_changes(comparison, comparison) is None


@given(comparisons, comparisons)
def test_swapped_comparisons_differ_the_other_way(
    before: Comparison | None, after: Comparison | None
) -> None:
    there, back = policy_changes(before, after), policy_changes(after, before)
    assert back == mirrored(there)
    if there is not None and back is not None:
        assert there.worse == any(each.gained for each in back.standings)


@given(comparisons, comparisons)
def test_the_cheapest_is_told_only_where_none_is_in_both(
    before: Comparison | None, after: Comparison | None
) -> None:
    differing = policy_changes(before, after)
    if differing is not None and differing.cheapest_before:
        assert before is not None
        assert after is not None
        assert differing.cheapest_before[0] == nearest(before)[0].policy
        assert not set(differing.cheapest_before) & set(differing.cheapest_after)
