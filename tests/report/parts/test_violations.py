from __future__ import annotations

import pytest
from report.values import violation

from pytest_compilecheck.contract.fields import FIELDS
from pytest_compilecheck.report.parts.violations import (
    BOUNDS,
    by_importance,
    evidence_for,
    violation_text,
)

TOLD_BY_THE_JUDGE = (
    "nothing_compiled",
    "uncalled",
    "stale_baseline",
    "dynamic_dims",
    "match_eager",
    "check_custom_ops",
    "preferred_policy",
)
NO_GRAPH = "there is no graph, or some were compiled before"
LEAST, MOST = ", at least 1 required", ", 1 allowed"


@pytest.mark.parametrize(
    ("bound", "allowed", "observed", "text"),
    [
        ("max_graph_breaks", 0, 1, "1 graph break, 0 allowed"),
        ("max_graph_breaks", 1, 3, "3 graph breaks, 1 allowed"),
        ("max_recompiles", 1, 2, "2 recompiles, 1 allowed"),
        ("max_recompiles_after_warmup", 0, 1, "1 recompile after warm-up, 0 allowed"),
        ("fallback", 0, 2, "2 fallbacks, 0 allowed"),
        ("error_calls", 0, 1, "1 call failed to compile, 0 allowed"),
        ("problems", 0, 1, "1 thing not watched, 0 allowed"),
        ("max_graphs", 1, 4, "4 graphs, 1 allowed"),
        ("max_graph_launches_per_call", 1, 12, "12 graph launches in a warm call, 1 allowed"),
        ("min_hit_rate", 0.9, 0.5, "hit rate 0.5, at least 0.9 required"),
        ("min_captured_ops", 40, 1, "1 operation captured, at least 40 required"),
        ("min_ops_per_graph", 5, 2, "2 operations in the smallest graph, at least 5 required"),
        ("max_compile_seconds", 10, 12.3456, "12.35 s of compiling, 10 allowed"),
        ("nothing_compiled", None, None, "nothing was compiled"),
    ],
)
def test_allowed_and_observed(
    bound: str, allowed: float | None, observed: float | None, text: str
) -> None:
    assert violation_text(violation(bound, allowed, observed, "Not shown.")) == text


@pytest.mark.parametrize(
    ("bound", "text"),
    [
        ("min_hit_rate", f"hit rate ?{LEAST}: no call was made"),
        ("min_ops_per_graph", f"? operations in the smallest graph{LEAST}: {NO_GRAPH}"),
        ("max_graph_launches_per_call", f"? graph launches in a warm call{MOST}: no call was warm"),
        (
            "max_recompiles_after_warmup",
            f"? recompiles after warm-up{MOST}: no call came after the warm-up",
        ),
        ("max_graphs", f"? graphs{MOST}"),
    ],
)
def test_an_unknown_figure_comes_with_its_reason(bound: str, text: str) -> None:
    assert violation_text(violation(bound, 1, None, "Not shown.")) == text


def test_a_bound_without_words_is_told_in_the_judges() -> None:
    assert violation_text(violation("stale_exception", 0, 1, "It\nmatched nothing.")) == (
        "It matched nothing."
    )
    assert violation_text(violation("max_wishes", 1, 2, "2 kernels")) == "2 kernels"
    assert violation_text(violation("max_wishes", 1, 2)) == "max_wishes"


def test_every_bound_of_a_contract_has_words() -> None:
    assert {name for name in FIELDS if name.startswith(("max_", "min_"))} <= BOUNDS.keys()


def test_the_most_important_comes_first_and_an_unknown_bound_last() -> None:
    names = ["max_wishes", "max_recompiles", "max_graph_breaks", "error_calls"]
    ordered = by_importance([violation(name, 0, 1) for name in names])
    assert [each.bound for each in ordered] == names[::-1]


def test_evidence() -> None:
    assert evidence_for([violation("max_wishes", 0, 1)]) == set()
    assert evidence_for([violation("max_graph_breaks", 0, 1)]) == {"sites"}
    both = [violation("max_recompiles", 0, 1), violation("min_hit_rate", 1, 0)]
    assert evidence_for(both) == {"recompiles", "fallbacks"}


def test_a_figure_has_its_place_in_both_forms() -> None:
    for bound, words in BOUNDS.items():
        told_by_the_judge = bound in TOLD_BY_THE_JUDGE
        expected = 0 if told_by_the_judge else 1
        assert [words.one.count("{}"), words.other.count("{}")] == [expected, expected]
