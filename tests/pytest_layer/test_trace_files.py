"""Contracts whose sizes are in a file beside the test."""

from __future__ import annotations

import pytest

from pytest_layer.projects import Project, assert_shows

CONTRACT = """
from pytest_compilecheck import trace_file

@compile_contract(shapes="B S", dims=trace_file("lengths.csv", max_steps=4), max_recompiles=9)
def test_it(x):
    return x.relu() + 1
"""


@pytest.fixture
def tests(project: Project) -> Project:
    """A project whose tests are in a folder of their own."""
    (project.path / "unit").mkdir()
    project.tests(CONTRACT, "unit/test_it.py")
    return project


def test_rows_are_steps_and_their_counts_are_weights(tests: Project) -> None:
    tests.file("unit/lengths.csv", "B,S,count  # of one day\n2,5,30\n2,6,1\n2,5,10\n")
    (record,) = tests.report(outcomes={"passed": 1})["contracts"]
    trace = record["contract"]["trace"]
    assert [(step["dims"], step["weight"]) for step in trace] == [
        ({"B": 2, "S": 5}, 40),
        ({"B": 2, "S": 6}, 1),
    ]
    assert record["contract"]["trace_notes"] == []
    timeline = record["observed"]["timeline"]
    assert [(entry["sizes"]["x"], entry["weight"]) for entry in timeline] == [
        ([2, 5], 40),
        ([2, 6], 1),
        ([2, 5], 40),
        ([2, 6], 1),
    ]


def test_what_the_steps_leave_out_is_in_the_report(tests: Project) -> None:
    tests.file("unit/lengths.csv", "B,S\n" + "\n".join(f"2,{size}" for size in range(3, 9)))
    (record,) = tests.report(outcomes={"passed": 1})["contracts"]
    assert len(record["contract"]["trace"]) == 4
    (note,) = record["contract"]["trace_notes"]
    assert note.startswith("lengths.csv: 6 rows, 6 distinct sizes; 4 kept as steps, the other 2 ")


@pytest.mark.parametrize("check", [True, False])
def test_bad_rows_are_an_error_at_collection(tests: Project, check: bool) -> None:
    tests.file("unit/lengths.csv", "B,S,count\n2,5,30\n2,5\n2,x,1\n")
    result = tests.run(check=check)
    result.assert_outcomes(errors=1)
    assert_shows(
        result,
        "2 faults in the compile contract of test_it",
        "test_it.py:6: dims: lengths.csv:3: expected 3 cells (B, S, count), got 2: '2,5'",
        "test_it.py:6: dims: lengths.csv:4: S: expected a whole number, 0 or more, got 'x'",
    )


def test_a_file_that_is_not_there(tests: Project) -> None:
    result = tests.run()
    result.assert_outcomes(errors=1)
    assert_shows(result, "dims: lengths.csv: there is no such file in *unit")
