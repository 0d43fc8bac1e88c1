from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st
from policies.values import call, policy_run, replay, warm

from pytest_compilecheck.policies.costs import FEW, ONCE, cost_of
from pytest_compilecheck.policies.measured import Cost, PolicyRun


def cost(run: PolicyRun) -> Cost:
    found = cost_of(run)
    assert found is not None
    return found


SECONDS = st.floats(1e-4, 10)
STEPS = st.lists(st.tuples(SECONDS, SECONDS, st.integers(1, 1000)), min_size=1, max_size=5)


def run_of(steps: list[tuple[float, float, int]], times: int = 1) -> PolicyRun:
    first, usual, counts = zip(*steps, strict=True)
    return replay("auto", first, usual, [count * times for count in counts])


def test_the_first_request_costs_its_first_run_and_each_other_the_median() -> None:
    found = cost(replay(first=(2.0, 1.0), usual=(0.01, 0.03), counts=(30, 10)))
    assert found.total == pytest.approx(2.0 + 1.0 + 29 * 0.01 + 9 * 0.03)
    assert found.per_request == pytest.approx((30 * 0.01 + 10 * 0.03) / 40)
    assert found.fixed == pytest.approx(2.0 - 0.01 + 1.0 - 0.03)


def test_all_calls_of_a_step_are_its_first_request() -> None:
    calls = (call(0, 1.0, "compile"), call(1, 0.5, "recompile", step=0))
    found = cost(policy_run("auto", calls=calls, warm=(warm(0, (0.1,) * 5, 11),)))
    assert (found.total, found.fixed) == (pytest.approx(1.5 + 10 * 0.1), pytest.approx(1.4))


@given(STEPS)
def test_the_line_meets_the_total_at_the_requests_of_the_trace(
    steps: list[tuple[float, float, int]],
) -> None:
    found = cost(run_of(steps))
    assert found.at(sum(count for *_, count in steps)) == pytest.approx(found.total)


@given(STEPS, st.integers(2, 50))
def test_more_requests_of_the_same_mix_stay_on_the_line(
    steps: list[tuple[float, float, int]], times: int
) -> None:
    once, often = cost(run_of(steps)), cost(run_of(steps, times))
    assert often.per_request == pytest.approx(once.per_request)
    assert often.fixed == pytest.approx(once.fixed)
    assert often.total == pytest.approx(once.at(times * sum(count for *_, count in steps)))


@given(STEPS)
def test_the_order_of_steps_does_not_matter(steps: list[tuple[float, float, int]]) -> None:
    one, other = cost(run_of(steps)), cost(run_of(steps[::-1]))
    assert one.total == pytest.approx(other.total)
    assert one.noise == pytest.approx(other.noise)


def test_what_was_not_measured_whole_has_no_cost() -> None:
    whole = replay()
    assert cost_of(policy_run("auto")) is None
    assert cost_of(dataclasses.replace(whole, warm=whole.warm[:1])) is None
    assert cost_of(dataclasses.replace(whole, calls=whole.calls[:1])) is None


def test_noise_of_a_request() -> None:
    runs = (0.01, 0.02, 0.03) * 5
    noisy = policy_run("auto", calls=(call(0, 0.5),), warm=(warm(0, runs, 11),))
    assert 0.001 < cost(noisy).request_noise < 0.01
    alone = policy_run("auto", calls=(call(0, 0.5),), warm=(warm(0, (0.5,) * (FEW - 1), 11),))
    assert cost(alone).request_noise == pytest.approx(ONCE * 0.5)


def test_noise_of_what_was_measured_once() -> None:
    found = cost(replay(first=(2.0, 1.0), usual=(0.0, 0.0), counts=(5, 5)))
    assert found.noise == pytest.approx(ONCE * 3.0)
    alone = policy_run("auto", calls=(call(0, 0.5),), warm=(warm(0, (0.5,) * (FEW - 1), 11),))
    assert cost(alone).noise == pytest.approx(ONCE * 10 * 0.5)


def test_noise_grows_with_the_spread_of_repeats_and_shrinks_with_their_number() -> None:
    def noise(seconds: list[float]) -> float:
        run = policy_run("auto", calls=(call(0, 0.0),), warm=(warm(0, seconds, 101),))
        return cost(run).noise

    some = [1.0, 1.1, 0.9, 1.05, 0.95]
    assert noise([1.0] * 5) == 0
    assert 0 < noise(some) < noise([1.0, 2.0, 0.5, 1.5, 0.7])
    assert noise(some * 20) < noise(some)
    assert noise(some) == noise(some)


def test_noise_covers_what_another_measurement_would_give() -> None:
    """90 % of the totals of true medians lie within it, when runs vary by chance."""
    import random

    chance = random.Random(1)
    within = 0
    for _ in range(60):
        seconds = [chance.lognormvariate(0, 0.2) for _ in range(15)]
        run = policy_run("auto", calls=(call(0, 0.0),), warm=(warm(0, seconds, 101),))
        within += abs(cost(run).total - 100 * 1.0) <= cost(run).noise
    assert within >= 48  # of 54 that are expected
