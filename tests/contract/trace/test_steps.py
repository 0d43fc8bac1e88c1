from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_compilecheck.contract.trace.rows import Row
from pytest_compilecheck.contract.trace.steps import choose_steps

Entries = list[tuple[Row, int]]

ENTRIES = st.integers(1, 3).flatmap(
    lambda dims: st.lists(
        st.tuples(st.tuples(*[st.integers(0, 40)] * dims), st.integers(1, 50)),
        min_size=1,
        max_size=40,
        unique_by=lambda entry: entry[0],
    )
)
MOST = st.integers(1, 12)


def covers(step: Sequence[int], row: Sequence[int]) -> bool:
    return all(larger >= size for larger, size in zip(step, row, strict=True))


def lengths(weights: dict[int, int], most: int) -> dict[int, int]:
    """Weight of each step by its size, for rows of one dim."""
    entries = [((size,), weight) for size, weight in weights.items()]
    return {size: weight for (size,), weight in choose_steps(entries, most).steps}


@given(ENTRIES, MOST)
def test_steps_are_rows_in_their_order_and_carry_all_requests(entries: Entries, most: int) -> None:
    chosen = choose_steps(entries, most)
    rows = [row for row, _ in entries]
    assert len(chosen.steps) == min(most, len(entries))
    places = [rows.index(row) for row, _ in chosen.steps]
    assert places == sorted(set(places))
    assert sum(weight for _, weight in chosen.steps) == sum(weight for _, weight in entries)


@given(ENTRIES, MOST)
def test_others_are_counted_with_the_smallest_step_that_covers_them(
    entries: Entries, most: int
) -> None:
    chosen = choose_steps(entries, most)
    own = dict(entries)
    steps = [row for row, _ in chosen.steps]
    others = [(row, weight) for row, weight in entries if row not in steps]
    covered = [(row, weight) for row, weight in others if any(covers(step, row) for step in steps)]
    assert chosen.moved == sum(weight for _, weight in others)
    assert chosen.uncovered == len(others) - len(covered)
    if len(covered) == len(others):
        expected = {step: own[step] for step in steps}
        for row, weight in covered:
            fitting = [step for step in steps if covers(step, row)]
            expected[min(fitting, key=lambda step: (math.prod(step), step))] += weight
        assert dict(chosen.steps) == expected


@given(ENTRIES, MOST)
def test_every_row_is_covered_where_that_can_be(entries: Entries, most: int) -> None:
    rows = [row for row, _ in entries]
    largest = [row for row in rows if not any(covers(o, row) for o in rows if o != row)]
    chosen = choose_steps(entries, most)
    steps = [row for row, _ in chosen.steps]
    if len(largest) <= most:
        assert set(largest) <= set(steps)
        assert chosen.uncovered == 0
    for dim in range(min(most, len(rows[0]))):
        assert max(row[dim] for row in steps) == max(row[dim] for row in rows)


def test_all_are_kept_where_there_is_room() -> None:
    entries: Entries = [((3, 1), 1), ((1, 2), 7)]
    chosen = choose_steps(entries, 2)
    assert (list(chosen.steps), chosen.moved, chosen.uncovered) == (entries, 0, 0)


def test_frequent_sizes_get_steps_of_their_own() -> None:
    weights = dict.fromkeys(range(2, 1001), 1) | {77: 500, 128: 5000, 512: 900}
    steps = lengths(weights, 8)
    assert {77, 128, 512, 1000} <= steps.keys()
    assert len(steps) == 8
    assert steps[128] < 5000 + 51


def test_a_long_row_is_not_counted_as_the_longest() -> None:
    # As real lengths: many short ones, and few of each long one.
    weights = {size: 10_000 // size for size in range(2, 2001)}
    entries = [((size,), weight) for size, weight in weights.items()]
    chosen = choose_steps(entries, 32)
    had = sum(size * weight for (size,), weight in entries)
    made = sum(size * weight for (size,), weight in chosen.steps)
    assert had <= made < 1.15 * had


@pytest.mark.parametrize("special", [0, 1])
def test_special_sizes_are_kept_however_rare(special: int) -> None:
    weights = {special: 1} | dict.fromkeys(range(100, 200), 1000)
    assert lengths(weights, 4)[special] == 1


def test_the_nearest_where_none_covers() -> None:
    # Each covers no other, and only three can be kept: one of these is the largest in each dim.
    entries: Entries = [((1, 64), 1), ((2, 32), 1), ((8, 16), 9), ((32, 4), 1), ((64, 2), 1)]
    chosen = choose_steps(entries, 3)
    assert dict(chosen.steps) == {(1, 64): 2, (8, 16): 9, (64, 2): 2}
    assert (chosen.moved, chosen.uncovered) == (2, 2)


def test_one_step() -> None:
    assert lengths({5: 1, 9: 2, 7: 4}, 1) == {9: 7}
    chosen = choose_steps([((1, 9), 1), ((9, 1), 1)], 1)
    assert chosen.steps == (((9, 1), 2),)
