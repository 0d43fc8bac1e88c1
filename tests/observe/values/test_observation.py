from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report.values import entry, observation

from pytest_compilecheck.observe.values.observation import CallKind


@given(
    st.lists(
        st.tuples(st.sampled_from(get_args(CallKind)), st.integers(min_value=0, max_value=100)),
        max_size=8,
    )
)
def test_hit_rate_is_the_share_by_weight(calls: list[tuple[str, int]]) -> None:
    timeline = tuple(
        entry(number, kind, weight=weight) for number, (kind, weight) in enumerate(calls)
    )
    spread = [kind for kind, weight in calls for _ in range(weight)]
    rate = observation(timeline=timeline).hit_rate
    if spread:
        assert rate == pytest.approx(spread.count("hit") / len(spread))
    else:
        assert rate is None


def test_warm_calls_compile_nothing_and_do_not_raise() -> None:
    kinds = get_args(CallKind)
    seen = observation(timeline=tuple(entry(call, kind) for call, kind in enumerate(kinds)))
    assert {call.kind for call in seen.warm_calls} == {"hit", "fallback"}


def test_compile_seconds_are_those_of_all_calls() -> None:
    timeline = (entry(0, compile_seconds=1.5), entry(1, "error", compile_seconds=0.25))
    assert observation(timeline=timeline).compile_seconds == 1.75


def test_fragile_guards_are_told_as_unknown() -> None:
    data = observation().to_dict()
    assert "fragile_guards" in data
    assert data["fragile_guards"] is None
