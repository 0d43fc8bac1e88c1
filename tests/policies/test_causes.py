"""Made-up timelines whose truth is known."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from policies.values import call, warm

from pytest_compilecheck.policies.causes import LASTING, explained, is_slow, memory_steps
from pytest_compilecheck.policies.measured import MemoryStep, ReplayCall, Warm

WARM = warm(0, (0.010,) * 9)
"""A step that takes 10 ms."""


def told(seconds: float, kind: str = "hit", usual: Warm = WARM, **fields: Any) -> tuple[Any, str]:
    (found,) = explained([call(0, seconds, kind, **fields)], warm=[usual])
    return found.mechanism, found.detail


@pytest.mark.parametrize(
    ("seconds", "usual", "slow"),
    [
        (0.021, (0.010,) * 9, True),
        (0.020, (0.010,) * 9, False),  # not more than twice
        (0.0059, (0.001,) * 9, False),  # six times, but less than 5 ms more
        (0.0061, (0.001,) * 9, True),
        (0.028, (0.008, 0.009, 0.010, 0.013, 0.016), True),
        (0.024, (0.008, 0.009, 0.010, 0.014, 0.016), False),  # it varies as much as that
    ],
)
def test_what_a_slow_call_is(seconds: float, usual: tuple[float, ...], slow: bool) -> None:
    assert is_slow(call(0, seconds), warm(0, usual)) is slow


@pytest.mark.parametrize(
    ("seconds", "kind", "fields", "mechanism"),
    [
        (1.0, "compile", {"compile_seconds": 0.9}, "first_compile"),
        (1.0, "recompile", {"compile_seconds": 0.9, "detail": "S: 128 -> 129"}, "rebuild"),
        (0.2, "hit", {"gc_seconds": 0.15}, "garbage"),
        (0.2, "hit", {"autotune_seconds": 0.15}, "autotune"),
        (0.2, "hit", {}, "unexplained"),
        (0.2, "fallback", {"evictions": 1}, "eviction"),
        (1.0, "recompile", {"compile_seconds": 0.9, "evictions": 1}, "eviction"),
        (0.011, "hit", {}, None),
    ],
)
def test_each_mechanism_by_its_event(
    seconds: float, kind: str, fields: dict[str, Any], mechanism: str | None
) -> None:
    assert told(seconds, kind, **fields)[0] == mechanism


def test_a_rebuild_keeps_what_torch_said_of_it() -> None:
    found = told(1.0, "recompile", compile_seconds=0.9, detail="S: 128 -> 129")
    assert found == ("rebuild", "S: 128 -> 129")


def test_a_compile_and_a_collection_in_one_call_are_told_by_what_took_longer() -> None:
    assert told(1.0, "compile", compile_seconds=0.7, gc_seconds=0.2)[0] == "first_compile"
    assert told(1.0, "compile", compile_seconds=0.2, gc_seconds=0.7) == (
        "garbage",
        "700 ms of 990 ms",
    )


def test_a_collection_that_explains_little_is_not_blamed() -> None:
    assert told(1.0, gc_seconds=0.1) == (
        "unexplained",
        "990 ms more than when warm; collecting garbage took 100 ms of it",
    )
    assert told(1.0) == (
        "unexplained",
        "990 ms more than when warm; nothing was seen that takes time",
    )


def test_a_compile_that_explains_little_is_not_blamed_either() -> None:
    assert told(1.0, "recompile", compile_seconds=0.3)[0] == "unexplained"


def test_compiling_in_a_call_that_compiled_nothing_is_unexplained() -> None:
    mechanism, detail = told(1.0, "fallback", compile_seconds=0.9)
    assert (mechanism, detail) == (
        "unexplained",
        "990 ms more than when warm; compiling took 900 ms of it",
    )


def test_of_a_step_without_warm_runs_nothing_is_said() -> None:
    (found,) = explained([call(0, 9.0, "compile", compile_seconds=8.0)], warm=[])
    assert found.mechanism is None


def test_a_compile_that_takes_no_time_is_no_spike() -> None:
    assert told(0.012, "compile", compile_seconds=0.002)[0] is None


CALLS = st.lists(
    st.builds(
        lambda **fields: call(0, **fields),
        seconds=st.floats(0, 2),
        kind=st.sampled_from(["hit", "compile", "recompile", "fallback"]),
        compile_seconds=st.floats(0, 2),
        gc_seconds=st.floats(0, 2),
        autotune_seconds=st.floats(0, 2),
        evictions=st.integers(0, 2),
    ),
    max_size=5,
)


@given(CALLS)
def test_a_call_has_a_mechanism_exactly_if_it_is_slow(calls: list[ReplayCall]) -> None:
    found = explained(calls, warm=[WARM])
    assert [each.mechanism is not None for each in found] == [is_slow(c, WARM) for c in calls]
    assert explained(found, warm=[WARM]) == found


@given(CALLS)
def test_what_is_named_took_most_of_the_time(calls: list[ReplayCall]) -> None:
    spent = {"garbage": "gc_seconds", "autotune": "autotune_seconds"} | dict.fromkeys(
        ("first_compile", "rebuild"), "compile_seconds"
    )
    for each in explained(calls, warm=[WARM]):
        if each.mechanism in spent:
            assert getattr(each, spent[each.mechanism]) >= (each.seconds - WARM.median) / 2


MB = 1_000_000
START = 500 * MB


def grown(*figures: int, kinds: str = "", before: int | None = START) -> list[ReplayCall]:
    """Calls after which the process holds so many MB more than at the start."""
    names = {"c": "compile", "r": "recompile", "h": "hit"}
    made = [
        call(at, kind=names[(kinds or "h" * len(figures))[at]], memory=START + figure * MB)
        for at, figure in enumerate(figures)
    ]
    first = call(0, kind=made[0].kind, memory=made[0].memory, memory_before=before)
    return [first, *made[1:]]


def steps(*figures: int, kinds: str = "", before: int | None = START) -> list[tuple[int, int, str]]:
    found = memory_steps(grown(*figures, kinds=kinds, before=before))
    return [(each.call, each.bytes // MB, each.mechanism) for each in found]


def test_each_compile_that_keeps_memory() -> None:
    assert steps(100, 100, 130, 130, kinds="chrh") == [
        (0, 100, "first_compile"),
        (2, 30, "rebuild"),
    ]


def test_a_size_that_is_new_without_a_compile_is_the_allocators() -> None:
    assert steps(0, 20, 20) == [(1, 20, "allocator")]


def test_growth_in_a_call_whose_size_was_met_before_is_unexplained() -> None:
    calls = grown(0, 20)
    again = call(1, sizes=calls[0].sizes, memory=START + 20 * MB)
    found = memory_steps([calls[0], again])
    assert found == (MemoryStep(call=1, bytes=20 * MB, mechanism="unexplained"),)


def test_calls_of_one_step_meet_its_sizes_together() -> None:
    calls = [
        call(0, step=0, sizes={"x": (8, 128)}),
        call(1, step=0, sizes={"x": (8, 128)}, memory_before=START, memory=START + 20 * MB),
    ]
    assert [each.mechanism for each in memory_steps(calls)] == ["allocator"]


def test_what_a_collection_gave_back_is_no_step() -> None:
    assert steps(0, 50, 50, 0) == []
    assert steps(0, 50, 20, 20) == [(1, 20, "allocator")]


def test_what_was_given_back_is_taken_from_what_was_taken_last() -> None:
    assert steps(100, 150, 100, kinds="crh") == [(0, 100, "first_compile")]


def test_noise_alone_is_no_step() -> None:
    half = LASTING // 2
    calls = [call(0, memory=START, memory_before=START)]
    calls += [call(at, memory=START + half * (at % 2)) for at in range(1, 8)]
    assert memory_steps(calls) == ()


def test_a_slow_leak_below_the_threshold_is_not_told_as_steps() -> None:
    calls = [call(at, memory=START + at * LASTING // 2, memory_before=None) for at in range(8)]
    assert memory_steps(calls) == ()


def test_growth_between_calls_belongs_to_none() -> None:
    calls = [
        call(0, memory_before=START, memory=START),
        call(1, memory_before=START + 40 * MB, memory=START + 50 * MB),
    ]
    found = memory_steps(calls)
    assert [(each.call, each.bytes) for each in found] == [(1, 10 * MB)]


def test_the_first_call_needs_to_know_what_was_held_before() -> None:
    assert steps(100, 100, kinds="ch", before=None) == []
    assert memory_steps([call(0), call(1)]) == ()


def test_a_rebuild_is_told_with_what_torch_said() -> None:
    calls = grown(0, 30, kinds="cr")
    told = call(1, kind="recompile", memory=calls[1].memory, detail="S: 128 -> 129")
    (found,) = memory_steps([calls[0], told])
    assert (found.mechanism, found.detail) == ("rebuild", "S: 128 -> 129")


@given(st.lists(st.integers(0, 200), min_size=1, max_size=12))
def test_steps_are_no_more_than_what_is_held_in_the_end(figures: list[int]) -> None:
    found = steps(*figures)
    assert sum(size for _, size, _ in found) <= figures[-1]


@given(st.lists(st.integers(0, 200), min_size=1, max_size=12))
def test_growth_that_only_rises_is_told_whole(figures: list[int]) -> None:
    rising = sorted(figures)
    taken = [size for size in (b - a for a, b in zip([0, *rising], rising, strict=False)) if size]
    # Growth of a megabyte is below the threshold of a mebibyte.
    assert [size for _, size, _ in steps(*rising)] == [size for size in taken if size > 1]
