from __future__ import annotations

from pytest_compilecheck.report.summary_line import headline
from report.values import (
    entry,
    fallback,
    observation,
    recompile,
    record,
    site,
    violation,
)


def test_a_break_names_its_place_and_reason() -> None:
    broken = record(
        violation("max_graph_breaks", 0, 1), observed=observation(break_sites=(site(),))
    )
    assert headline(broken) == (
        "1 graph break, 0 allowed: model/mlp.py:14 Data-dependent branching"
    )


def test_the_most_important_violation_leads_and_the_rest_is_counted() -> None:
    broken = record(
        violation("max_graphs", 1, 2),
        violation("max_recompiles", 0, 1),
        violation("max_graph_breaks", 0, 1),
        observed=observation(break_sites=(site(),)),
    )
    assert headline(broken) == (
        "1 graph break, 0 allowed: model/mlp.py:14 Data-dependent branching (+2 more)"
    )


def test_the_break_that_runs_most_often_stands_for_all_and_an_excused_one_for_none() -> None:
    sites = (
        site(line=1, executions_per_warm_call=50),
        site(line=2, executions_per_warm_call=None),
        site(line=3, executions_per_warm_call=24),
    )
    broken = record(
        violation("max_graph_breaks", 0, 2),
        observed=observation(break_sites=sites),
        verdict={"excused_sites": (0,)},
    )
    assert headline(broken).startswith("2 graph breaks, 0 allowed: model/mlp.py:3 ")


def test_a_recompile_names_the_first_guard() -> None:
    events = (recompile(call=3, guard="n == 3"), recompile(call=1))
    broken = record(
        violation("max_recompiles", 1, 2), observed=observation(recompile_events=events)
    )
    assert headline(broken) == (
        "2 recompiles, 1 allowed: model/mlp.py:9 in forward: x.size(1): 128 -> 129"
    )


def test_a_fallback_names_its_calls_and_place() -> None:
    broken = record(violation("fallback", 0, 1), observed=observation(fallbacks=(fallback(),)))
    assert headline(broken) == (
        "1 fallback, 0 allowed: calls 8-10: torch's limit of rebuilds is reached"
        " model/mlp.py:9 in forward"
    )


def test_nothing_compiled_names_the_break_that_did_it() -> None:
    broken = record(
        violation("nothing_compiled", None, None), observed=observation(break_sites=(site(),))
    )
    assert headline(broken) == "nothing was compiled: model/mlp.py:14 Data-dependent branching"


def test_a_call_that_raised_names_what() -> None:
    timeline = (entry(0, "compile"), entry(1, "error", error="ValueError: a\nb"))
    broken = record(violation("error_calls", 0, 1), observed=observation(timeline=timeline))
    assert headline(broken) == "1 call failed to compile, 0 allowed: call 1: ValueError: a b"


def test_a_violation_without_evidence_stands_alone() -> None:
    assert headline(record(violation("max_graph_breaks", 0, 1))) == "1 graph break, 0 allowed"
    assert headline(record(violation("stale_exception", 0, 1, "Stale."))) == "Stale."


def test_a_problem_of_the_watch_is_named() -> None:
    broken = record(violation("problems", 0, 1), observed=observation(problems=("Lost.", "Two.")))
    assert headline(broken) == "1 thing not watched, 0 allowed: Lost."


def test_without_a_violation_the_test_itself_speaks() -> None:
    assert headline(record(error="AssertionError: assert\n  0 == 1")) == (
        "AssertionError: assert 0 == 1"
    )
    assert headline(record(observed=observation())) == "the contract holds"
    assert headline(record()) == "the test was not run"
