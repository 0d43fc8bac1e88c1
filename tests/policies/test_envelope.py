from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_compilecheck.policies.envelope import cheapest_ranges
from pytest_compilecheck.policies.measured import Cost, Range


def line(policy: str, fixed: float, per_request: float, request_noise: float = 0) -> Cost:
    return Cost(
        policy=policy,
        fixed=fixed,
        per_request=per_request,
        total=0,
        noise=0,
        request_noise=request_noise,
    )


@st.composite
def lines(draw: st.DrawFn) -> list[Cost]:
    # Few values, so that lines meet, lie upon each other and cross in one point.
    number = st.integers(0, 12) | st.floats(0, 100)
    pairs = draw(st.lists(st.tuples(number, number), min_size=1, max_size=6))
    return [line("abcdef"[at], *pair) for at, pair in enumerate(pairs)]


LEAST = st.integers(1, 20)


def test_static_below_and_buckets_above() -> None:
    found = cheapest_ranges([line("pow2", 5, 0.1), line("static", 1, 0.2)], least=4)
    assert [each.policy for each in found] == ["static", "pow2"]
    assert [each.from_requests for each in found] == [4, pytest.approx(40)]


def test_requests_that_cost_the_same_within_the_noise() -> None:
    costs = [line("dynamic", 1, 0.2, 0.06), line("static", 5, 0.1, 0.05)]
    first, then = cheapest_ranges(costs, least=4)
    assert (first.close, then.policy, then.close) == (False, "static", True)
    costs[1] = line("static", 5, 0.1, 0.03)
    assert not any(each.close for each in cheapest_ranges(costs, least=4))


def test_what_crosses_before_the_first_request_is_not_told() -> None:
    found = cheapest_ranges([line("pow2", 5, 0.1), line("static", 1, 0.2)], least=50)
    assert found == (Range(policy="pow2", from_requests=50),)
    assert cheapest_ranges([], least=1) == ()


def test_slopes_too_near_to_cross_at_any_number() -> None:
    costs = [line("dearer", 0, 1e-308), line("flat", 2, 0)]
    assert cheapest_ranges(costs, least=1) == (Range(policy="dearer", from_requests=1),)


@given(lines(), LEAST, st.lists(st.floats(0, 1e6), min_size=1, max_size=20))
def test_it_is_the_least_of_all_lines(costs: list[Cost], least: int, further: list[float]) -> None:
    found = cheapest_ranges(costs, least=least)
    by_name = {cost.policy: cost for cost in costs}
    points = [least + more for more in further] + [each.from_requests for each in found]
    for at in points:
        within = [each for each in found if each.from_requests <= at][-1]
        lowest = min(cost.at(at) for cost in costs)
        assert by_name[within.policy].at(at) == pytest.approx(lowest, rel=1e-6, abs=1e-6)


@given(lines(), LEAST)
def test_ranges_rise_and_each_policy_has_one(costs: list[Cost], least: int) -> None:
    found = cheapest_ranges(costs, least=least)
    starts = [each.from_requests for each in found]
    assert starts == sorted(starts)
    assert starts[0] == least
    assert len({each.policy for each in found}) == len(found)


@given(lines(), LEAST, st.randoms(use_true_random=False))
def test_the_order_of_policies_does_not_matter(
    costs: list[Cost], least: int, chance: object
) -> None:
    shuffled = list(costs)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert cheapest_ranges(shuffled, least=least) == cheapest_ranges(costs, least=least)


@given(lines(), LEAST, st.floats(0.01, 5), st.floats(0, 5))
def test_what_is_worse_at_every_number_is_in_no_range(
    costs: list[Cost], least: int, dearer: float, slower: float
) -> None:
    worse = [
        line(f"worse {each.policy}", each.fixed + dearer, each.per_request + slower)
        for each in costs
    ]
    found = cheapest_ranges([*worse, *costs], least=least)
    assert found == cheapest_ranges(costs, least=least)
