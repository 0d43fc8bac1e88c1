from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from judge.verdicts import TORCH, broken, judged
from report.values import entry, observation, record

from pytest_compilecheck.contract.bounds import Bound
from pytest_compilecheck.contract.fields import FIELDS
from pytest_compilecheck.contract.model import Contract
from pytest_compilecheck.judge.extra import ExtraBound
from pytest_compilecheck.judge.judge import judge
from pytest_compilecheck.observe.assembly.doubtful import with_doubts
from pytest_compilecheck.observe.values.doubt import FIGURES, Doubt, Figure
from pytest_compilecheck.observe.values.observation import Observation
from pytest_compilecheck.report.parts.violations import violation_text

WHY = "torch told of none; use another"
# Loose bounds: what was seen holds them all.
HELD: dict[str, tuple[Figure, Any]] = {
    "max_graph_breaks": ("graph_breaks", 99),
    "max_recompiles": ("recompiles", 99),
    "max_recompiles_after_warmup": ("recompiles", 99),
    "max_graphs": ("graphs", 99),
    "max_graph_launches_per_call": ("graph_launches", 99),
    "min_hit_rate": ("hit_rate", 0),
    "min_captured_ops": ("captured_ops", 0),
    "min_ops_per_graph": ("captured_ops", 0),
    "max_compile_seconds": ("compile_seconds", 99),
    "max_kernels": ("kernels", 99),
    "max_opaque_ops": ("opaque_ops", 99),
    "max_fragile_guards": ("fragile_guards", 99),
    "check_custom_ops": ("opaque_ops", True),
    "dynamic_dims": ("dynamic_dims", ("B",)),
}
SEEN = observation(
    fragile_guards=(), timeline=(entry(0, "compile", kernels=1), entry(1, kernels=1))
)


def doubted(*figures: Figure) -> Observation:
    return with_doubts(SEEN, (Doubt(figures, WHY),))


def test_every_bound_that_rests_on_torch_is_among_them() -> None:
    others = {"max_memory_growth"}
    bounds = {name for name in FIELDS if name.startswith(("max_", "min_"))}
    assert bounds - others <= HELD.keys()


@pytest.mark.parametrize("bound", HELD)
def test_a_bound_on_an_unknown_figure_fails_and_says_why(bound: str) -> None:
    figure, value = HELD[bound]
    if bound != "dynamic_dims":  # of a trace, which these contracts do not have
        assert broken(judged(SEEN, **{bound: value})) == []
    (violation,) = judged(doubted(figure), **{bound: value}).violations
    assert violation.bound == bound
    assert violation.observed is None
    assert f"unknown, because {WHY}" in violation.message
    assert WHY in violation_text(violation)


@pytest.mark.parametrize("bound", [bound for bound in HELD if bound != "dynamic_dims"])
def test_what_was_seen_of_an_unknown_figure_holds_no_bound(bound: str) -> None:
    figure, value = HELD[bound]
    seen = dataclasses.replace(SEEN, doubts=(Doubt((figure,), WHY),))
    assert broken(judged(seen, **{bound: value})) == [bound]


@pytest.mark.parametrize("bound", HELD)
def test_bounds_on_other_figures_still_judge(bound: str) -> None:
    figure, value = HELD[bound]
    seen = doubted(figure)
    # One broken and one held, each on a figure that is known.
    other = "max_compile_seconds" if bound != "max_compile_seconds" else "max_graphs"
    found = judged(seen, **{bound: value, other: -1, "max_memory_growth": None})
    assert set(broken(found)) == {bound, other}
    assert {each.bound for each in found.violations if each.observed is None} == {bound}


def test_unknown_fallbacks_fail_every_contract() -> None:
    (violation,) = judged(doubted("fallbacks")).violations
    assert violation.bound == "fallback"
    assert WHY in violation_text(violation)


def test_whether_anything_was_compiled() -> None:
    seen = dataclasses.replace(doubted("graphs", "graph_launches"), fallbacks=())
    (violation,) = judged(seen).violations
    assert violation.message == f"whether anything was compiled: unknown, because {WHY}"
    assert WHY in violation_text(violation)
    assert (violation.bound, violation.allowed, violation.observed) == ("nothing_compiled", 0, None)
    # One of the two figures is enough to know that something was.
    assert broken(judged(doubted("graphs"))) == []
    assert broken(judged(doubted("graph_launches"))) == []


@pytest.mark.parametrize("figure", ["graphs", "graph_launches"])
def test_that_something_was_compiled_is_not_known_by_one_figure_that_is_none(
    figure: Figure,
) -> None:
    none = observation(graphs=0, timeline=(entry(0, graph_launches=0),))
    (violation,) = judged(with_doubts(none, (Doubt((figure,), WHY),))).violations
    assert violation.message == f"whether anything was compiled: unknown, because {WHY}"


def test_a_bound_of_a_plugin_may_be_made_of_any_figure() -> None:
    declared = {"max_things": ExtraBound(name="max_things", about="things", figure=lambda _: 0)}
    contract = Contract(extra={"max_things": Bound(99)})
    assert broken(judge(contract, SEEN, TORCH, declared=declared)) == []
    (violation,) = judge(contract, doubted("calls"), TORCH, declared=declared).violations
    assert violation.message == f"things: unknown, because {WHY}, at most 99 allowed"


def test_nothing_passes_where_nothing_is_known() -> None:
    found = judge(Contract(), doubted(*FIGURES), TORCH)
    assert {"max_graph_breaks", "max_recompiles", "fallback"} <= set(broken(found))
    assert all(each.why == WHY for each in found.violations)


def test_a_record_with_a_doubt_is_no_measure_for_a_baseline_or_a_comparison() -> None:
    assert record(observed=SEEN).measured
    assert not record(observed=doubted("graphs")).measured
