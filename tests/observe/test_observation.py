from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report.values import entry, observation, recompile

from pytest_compilecheck.observe.observation import CallKind
from pytest_compilecheck.observe.recompile import count_recompiles

rebuilds = st.lists(
    st.tuples(st.integers(min_value=0, max_value=4), st.integers(min_value=0, max_value=3)),
    max_size=25,
)


@given(rebuilds)
def test_a_call_counts_its_most_rebuilt_code_object(rebuilt: list[tuple[int, int]]) -> None:
    expected = 0
    for call in {call for call, _ in rebuilt}:
        of_call = [code_object for where, code_object in rebuilt if where == call]
        expected += max(of_call.count(code_object) for code_object in of_call)
    events = [recompile(call=call, code_object=number) for call, number in rebuilt]
    assert count_recompiles(events) == expected


@given(rebuilds, st.randoms(use_true_random=False))
def test_neither_order_nor_names_matter(rebuilt: list[tuple[int, int]], random: object) -> None:
    events = [recompile(call=call, code_object=number) for call, number in rebuilt]
    renamed = [
        recompile(call=call, code_object=number, function=f"f{at}", line=at)
        for at, (call, number) in enumerate(rebuilt)
    ]
    random.shuffle(renamed)  # type: ignore[attr-defined]
    assert count_recompiles(renamed) == count_recompiles(events)


@pytest.mark.parametrize(
    ("rebuilt", "recompiles"),
    [
        ([], 0),
        ([(1, code_object) for code_object in range(4)], 1),  # one length, four pieces
        ([(1, 0)] * 7, 7),  # seven layers share one forward
        ([(1, 0), (2, 0), (2, 1), (5, 3)], 3),
    ],
)
def test_recompiles_as_a_person_counts_them(
    rebuilt: Sequence[tuple[int, int]], recompiles: int
) -> None:
    events = [recompile(call=call, code_object=number) for call, number in rebuilt]
    assert count_recompiles(iter(events)) == recompiles


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
