"""Each cause in each place: what is told of the value that changed, plain and in containers."""

from __future__ import annotations

import linecache
from collections.abc import Sequence

import pytest
from observe.guards import tensor_cases, value_cases
from observe.guards.cases import Case, row, row_of
from observe.guards.scenarios import (
    CONTAINERS,
    IN_CONTAINERS,
    PLACES,
    PLAIN,
    Nesting,
    last_rebuilds,
)

from pytest_compilecheck.contract.causes import CAUSES

CASES = [*tensor_cases.CASES, *value_cases.CASES]
DEEP = [case for case in CASES if case.deep]

# Causes that are no property of a value in a place: see test_process_causes.
OF_THE_PROCESS = {"global_state", "hook", "alias", "other"}


def check(case: Case, nestings: Sequence[Nesting]) -> None:
    for scene, event in last_rebuilds(case.use, case.values, nestings).items():
        place, nesting = scene
        name = PLACES[place][1] + nesting.path
        expected = [row(each, place, name, nesting.word) for each in case.told[place]]
        assert event is not None, scene
        assert [row_of(change) for change in event.changes] == expected, scene


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_change_in_each_place(case: Case) -> None:
    check(case, [PLAIN])


@pytest.mark.parametrize("number", range(len(DEEP)), ids=[case.name for case in DEEP])
def test_a_change_in_containers_in_each_place(number: int) -> None:
    check(DEEP[number], [*CONTAINERS, IN_CONTAINERS[(number + 2) % len(IN_CONTAINERS)]])


def test_the_line_that_needs_a_number_is_named() -> None:
    """The file is told from the root of the watch on, the line is that of the loop."""
    (case,) = (case for case in CASES if case.name == "a size that a loop needs")
    for event in last_rebuilds(case.use, case.values, [PLAIN]).values():
        assert event is not None
        place = event.changes[0].fixed_at
        assert place is not None
        assert (place.file, place.function) == ("guards/tensor_cases.py", "loops")
        line = linecache.getline(tensor_cases.__file__, place.line).strip()
        assert line == "for row in range(v.shape[0]):"


def test_every_cause_of_a_value_is_in_the_tables() -> None:
    in_tables = {each.cause for case in DEEP for each in case.told["argument"]}
    assert in_tables | OF_THE_PROCESS == set(CAUSES)
