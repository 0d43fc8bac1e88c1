from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st
from policies.values import compared, policy_run, replay, warm

from pytest_compilecheck.policies.compare import fit_costs
from pytest_compilecheck.policies.measured import Choice, Comparison, PolicyRun

# In a trace of 40 requests; more of them suit pow2.
STATIC = replay("static", (1.0, 1.0), (0.1, 0.1))
POW2 = replay("pow2", (4.0, 0.1), (0.05, 0.05))


def choice(*runs: PolicyRun) -> Choice:
    found = compared(*runs).choice
    assert found is not None
    return found


def test_the_lowest_total_is_preferred_and_told_with_the_runner_up() -> None:
    found = compared(STATIC, POW2)
    assert found.requests == 40
    static, pow2 = found.costs
    assert (static.total, pow2.total) == (pytest.approx(5.8), pytest.approx(6.0))
    assert choice(STATIC, POW2) == Choice(
        preferred="static", runner_up="pow2", margin=pytest.approx(6.0 / 5.8 - 1), close=True
    )
    first, second = found.ranges
    assert (first.policy, first.from_requests, second.policy) == ("static", 2, "pow2")
    assert second.from_requests == pytest.approx((4.0 - 1.8) / 0.05)


def test_it_is_not_close_where_the_noise_is_smaller_than_the_margin() -> None:
    assert not choice(STATIC, replay("pow2", (9.0, 0.1))).close


def test_a_third_policy_may_make_it_close() -> None:
    best = replay("auto", (0.1, 0.1), (0.1, 0.1))
    second = replay("dynamic", (0.1, 0.1), (0.12, 0.12))
    assert choice(best, second).close is False
    wide = (0.02, 0.05, 0.13, 0.3, 0.4)
    third = dataclasses.replace(second, policy="pow2", warm=(warm(0, wide, 30), warm(1, wide, 10)))
    found = choice(best, second, third)
    assert (found.preferred, found.runner_up) == ("auto", "dynamic")
    assert found.close is True


@pytest.mark.parametrize(
    "wrong",
    [
        {"error": "it hung"},
        {"mismatch": "output: 1 / 6"},
        {"fallbacks": 1},
        {"variants": 0},
    ],
)
def test_what_failed_is_never_preferred_whatever_it_costs(wrong: dict[str, object]) -> None:
    cheap = dataclasses.replace(replay("cheap", (0.1, 0.1)), **wrong)  # type: ignore[arg-type]
    for runs in ((cheap, STATIC), (STATIC, cheap)):
        found = compared(*runs)
        assert found.choice == Choice(preferred="static", runner_up=None, margin=None, close=False)
        assert [each.policy for each in found.ranges] == ["static"]
        assert [each.policy for each in fit_costs(found)] == ["static"]
    assert compared(cheap).choice is None
    assert compared(cheap).ranges == ()


def test_nothing_measured_is_no_choice() -> None:
    failed = policy_run("auto", error="it hung")
    found = compared(failed)
    assert (found.requests, found.costs, found.ranges, found.choice) == (0, (), (), None)


RUNS = st.lists(
    st.builds(
        replay,
        st.just("auto"),
        st.tuples(st.floats(0.01, 9), st.floats(0.01, 9)),
        st.tuples(st.floats(0.01, 1), st.floats(0.01, 1)),
        mismatch=st.sampled_from(["", "", "it differs"]),
    ),
    min_size=1,
    max_size=5,
).map(lambda runs: [dataclasses.replace(run, policy=f"p{at}") for at, run in enumerate(runs)])


@given(RUNS, st.randoms(use_true_random=False))
def test_the_order_of_policies_changes_nothing(runs: list[PolicyRun], chance: object) -> None:
    shuffled = list(runs)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    one, other = compared(*runs), compared(*shuffled)
    assert (one.choice, one.ranges) == (other.choice, other.ranges)
    assert set(one.costs) == set(other.costs)


@given(RUNS)
def test_the_choice_has_the_least_total(runs: list[PolicyRun]) -> None:
    found = compared(*runs)
    totals = {cost.policy: cost.total for cost in fit_costs(found)}
    assert (found.choice is None) == (not totals)
    if found.choice is not None:
        assert totals[found.choice.preferred] == min(totals.values())


def test_it_goes_to_json_and_back() -> None:
    found = compared(STATIC, POW2, policy_run("auto", error="it hung"))
    assert Comparison.from_dict(found.to_dict()) == found
