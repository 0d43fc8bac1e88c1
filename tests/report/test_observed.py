from __future__ import annotations

from pytest_compilecheck.observe.values.observation import Observation
from pytest_compilecheck.report.observed import observation_lines
from pytest_compilecheck.report.style import plain
from report.values import attempt, entry, fallback, fragile, observation, recompile, site


def told(seen: Observation) -> str:
    return plain(observation_lines(seen, root="/nowhere"))


def test_a_clean_watch_is_a_summary_and_a_timeline() -> None:
    assert told(observation()) == (
        "2 calls (1 compile, 1 hit), 2 graphs, 41 operations, 0 graph breaks, 0 recompiles,"
        " 0 fallbacks, 0.25 s of compiling\n"
        "\n"
        "calls: 0 compile, 1 hit"
    )


def test_all_that_was_seen_is_told_in_order() -> None:
    seen = observation(
        break_sites=(site(), site(line=20, owner="third_party")),
        recompiles=1,
        recompile_events=(recompile(),),
        recompile_attempts=(attempt(),),
        fallbacks=(fallback(),),
        fragile_guards=(fragile(),),
        timeline=(entry(0, "compile"), entry(1, "error", error="ValueError: no")),
        problems=("A watch was lost.",),
    )
    starts = [
        "2 calls (1 error, 1 compile)",
        "call 1 raised ValueError: no",
        "  A watch was lost.",
        "graph break 1 of 2",
        "graph break 2 of 2",
        "call 1: 1 recompile",
        "calls 8-10: ",
        "  from call 8 on",
        "Fragile guards",
        "calls: 0 compile, 1 error",
    ]
    lines = told(seen).splitlines()
    found = [start for line in lines for start in starts if line.startswith(start)]
    assert found == starts


def test_a_watch_without_a_call_says_so() -> None:
    nothing = observation(graphs=0, captured_ops=0, smallest_graph_ops=None, timeline=())
    assert told(nothing) == "No call of a compiled function was seen."


def test_no_option_of_pytest_is_offered_outside_of_it() -> None:
    seen = observation(recompile_events=tuple(recompile(call=call) for call in range(30)))
    assert "-v" not in told(seen)
    assert "run it alone" not in told(seen)
