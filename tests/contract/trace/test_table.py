from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_compilecheck.contract.trace.rows import Row
from pytest_compilecheck.contract.trace.table import Table

SIZES = st.one_of(st.integers(0, 300), st.integers(0, 2**63 - 1))
COUNTED = st.lists(st.tuples(st.tuples(SIZES, SIZES), st.integers(1, 9)), min_size=1, max_size=60)


def filled(counted: list[tuple[Row, int]], most: int) -> Table:
    table = Table(most)
    for row, count in counted:
        table.add(row, count)
    return table


@given(COUNTED)
def test_rows_are_counted_in_order_of_first_appearance(counted: list[tuple[Row, int]]) -> None:
    table = filled(counted, 1000)
    expected: Counter[Row] = Counter()
    for row, count in counted:
        expected[row] += count
    assert table.entries() == list(expected.items())
    assert (table.rows, table.factor) == (len(counted), None)


@given(COUNTED, st.integers(1, 20))
def test_the_table_is_bounded_and_loses_no_request(
    counted: list[tuple[Row, int]], most: int
) -> None:
    table = filled(counted, most)
    entries = table.entries()
    assert len(entries) == len({row for row, _ in entries}) <= most
    assert sum(weight for _, weight in entries) == sum(count for _, count in counted)
    assert (table.factor is None) == (len({row for row, _ in counted}) <= most)
    assert max(row for row, _ in entries)[0] == max(row for row, _ in counted)[0]


@given(COUNTED, st.integers(1, 20))
def test_each_row_has_an_entry_as_large_within_the_factor(
    counted: list[tuple[Row, int]], most: int
) -> None:
    table = filled(counted, most)
    rows = [row for row, _ in table.entries()]
    factor = Fraction(table.factor or 1)
    for row, _ in counted:
        # Below 3 the coarsest steps, a factor of 4 and more, tell no sizes apart.
        assert any(
            all(
                size <= larger <= max(size, 2 if factor > 2 else 0) * factor
                for size, larger in zip(row, entry, strict=True)
            )
            for entry in rows
        )


@given(st.lists(st.integers(0, 2**40), min_size=1), st.integers(1, 20))
def test_with_one_dim_every_entry_is_a_row(sizes: list[int], most: int) -> None:
    entries = filled([((size,), 1) for size in sizes], most).entries()
    assert {size for (size,), _ in entries} <= set(sizes)


@pytest.mark.parametrize(
    ("most", "entries", "factor"),
    [
        (4, [(200, 1), (201, 1), (202, 1), (1, 1)], None),
        (3, [(200, 1), (202, 2), (1, 1)], 1 + 1 / 64),
        (2, [(202, 3), (1, 1)], 1 + 1 / 8),
        (1, [(202, 4)], 2**16),
    ],
)
def test_coarser_and_coarser(most: int, entries: list[Row], factor: float | None) -> None:
    table = filled([((size,), 1) for size in (200, 201, 202, 1)], most)
    assert [(size, weight) for (size,), weight in table.entries()] == entries
    assert table.factor == factor
