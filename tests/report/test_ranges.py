from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_compilecheck.report.ranges import calls_text, fold_kinds, number_ranges

KINDS = st.sampled_from(["error", "recompile", "compile", "fallback", "hit"])


def unfolded(text: str) -> list[int]:
    numbers: list[int] = []
    for part in text.split(", ") if text else []:
        first, _, last = part.partition("-")
        numbers += range(int(first), int(last or first) + 1)
    return numbers


@given(st.lists(st.integers(0, 60)))
def test_ranges_hold_the_numbers_and_no_others(numbers: list[int]) -> None:
    assert unfolded(number_ranges(numbers)) == sorted(set(numbers))


@given(st.sets(st.integers(0, 60)))
def test_ranges_leave_no_run_of_three_unfolded(numbers: set[int]) -> None:
    bounds = [int(bound) for bound in re.split("-|, ", number_ranges(numbers)) if bound]
    for a, b, c in zip(bounds, bounds[1:], bounds[2:], strict=False):
        assert (b - a, c - b) != (1, 1)


@pytest.mark.parametrize(
    ("numbers", "text"),
    [([], ""), ([4], "4"), ([1, 0], "0, 1"), ([8, 9, 10], "8-10"), ([1, 8, 9, 10], "1, 8-10")],
)
def test_ranges(numbers: list[int], text: str) -> None:
    assert number_ranges(numbers) == text


def test_calls() -> None:
    assert calls_text((1, 1)) == "call 1"
    assert calls_text((0, 1)) == "calls 0, 1"
    assert calls_text((8, 9, 10)) == "calls 8-10"


@given(st.lists(KINDS))
def test_folded_kinds_unfold_to_the_calls(kinds: list[str]) -> None:
    runs = [run.rsplit(" ", 1) for run in fold_kinds(list(enumerate(kinds)))]
    assert [(call, kind) for span, kind in runs for call in unfolded(span)] == list(
        enumerate(kinds)
    )


@given(st.lists(KINDS))
def test_neighbouring_runs_differ_in_kind(kinds: list[str]) -> None:
    folded = [run.rsplit(" ", 1)[1] for run in fold_kinds(list(enumerate(kinds)))]
    assert all(a != b for a, b in pairwise(folded))


def test_a_gap_in_the_calls_ends_a_run() -> None:
    assert fold_kinds([(0, "hit"), (1, "hit"), (5, "hit")]) == ["0-1 hit", "5 hit"]
