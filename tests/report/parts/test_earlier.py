from __future__ import annotations

from report.values import frame, observation

from pytest_compilecheck.report.parts.earlier import earlier_section
from pytest_compilecheck.report.style import plain


def test_a_cold_start_is_no_section() -> None:
    assert earlier_section(observation()) == []


def test_a_warm_start_without_breaks_is_one_line() -> None:
    assert plain(earlier_section(observation(warm_graphs=1))) == (
        "Warm start: 1 graph from before the watch ran"
    )


def test_earlier_breaks_are_told_with_their_lines_and_a_cure() -> None:
    text = plain(earlier_section(observation(warm_graphs=3, earlier_breaks=(frame(),))))
    lines = text.splitlines()
    assert lines[0] == "Warm start: 3 graphs from before the watch ran"
    assert lines[2] == "    model/mlp.py:14 in inner"
    assert lines[-1].startswith("  fix  compile inside of what is watched")


def test_breaks_of_code_of_which_no_graph_ran_are_told_too() -> None:
    lines = plain(earlier_section(observation(earlier_breaks=(frame(),)))).splitlines()
    assert lines[0] == "Warm start: code from before the watch ran"
    assert lines[2] == "    model/mlp.py:14 in inner"
