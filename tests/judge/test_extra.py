from __future__ import annotations

from fnmatch import fnmatchcase
from operator import attrgetter
from types import FunctionType
from typing import Any

import pytest
from judge.verdicts import TORCH
from report.values import observation

from pytest_compilecheck.contract.bounds import Bound, BoundError
from pytest_compilecheck.contract.model import Contract
from pytest_compilecheck.judge.extra import ExtraBound, Figure
from pytest_compilecheck.judge.judge import judge
from pytest_compilecheck.judge.verdict import Violation
from pytest_compilecheck.observe.values.doubt import Doubt
from pytest_compilecheck.observe.values.observation import Observation

SEEN = observation(graphs=5)


def violations(name: str, allowed: object, figure: Figure | None) -> list[Violation]:
    """Those of a contract that has this bound alone, and of nothing else."""
    known = figure and ExtraBound(name=name, about="graphs", figure=figure, plugin="ours")
    contract = Contract(extra={name: Bound(allowed)})  # type: ignore[arg-type]
    verdict = judge(contract, SEEN, TORCH, declared={name: known} if known else {})
    assert verdict.violations == tuple(each for each in verdict.violations if each.bound == name)
    return list(verdict.violations)


@pytest.mark.parametrize(
    ("name", "allowed", "holds"),
    [
        ("max_x", 5, True),
        ("max_x", 4, False),
        ("min_x", 5, True),
        ("min_x", 6, False),
        ("max_x", None, True),
        ("max_x", (("<2.14", 5), (">=2.14", 0)), True),
        ("max_x", (("<2.14", 4), (">=2.14", 9)), False),
    ],
)
def test_a_figure_against_its_bound(name: str, allowed: object, holds: bool) -> None:
    assert (violations(name, allowed, lambda seen: seen.graphs) == []) == holds


def test_a_violation_is_told_as_any_other() -> None:
    assert violations("max_x", 4, lambda seen: seen.graphs) == [
        Violation(bound="max_x", allowed=4, observed=5, message="graphs: 5, at most 4 allowed")
    ]
    (found,) = violations("min_x", 0.75, lambda _: 0.5)
    assert found.message == "graphs: 0.5, at least 0.75 required"


def failing(_: object) -> int:
    raise ZeroDivisionError("division by zero")


def skipping(_: Observation) -> int:
    pytest.skip("not here")


def installed(figure: FunctionType) -> Figure:
    """A figure as if it stood in an installed package."""
    code = figure.__code__.replace(co_filename="/usr/lib/site-packages/heat/figures.py")
    return FunctionType(code, figure.__globals__)


def giving(value: Any) -> Figure:
    return lambda _: value


@pytest.mark.parametrize(
    ("figure", "why"),
    [
        (failing, "the plugin ours raised ZeroDivisionError: division by zero (test_extra.py:*)"),
        (giving(None), "the plugin ours does not know it"),
        (giving("3"), "the plugin ours gave '3', which is no number"),
        (giving(True), "the plugin ours gave True, which is no number"),
        (giving(float("nan")), "the plugin ours gave nan, which is no number"),
        (giving(-float("inf")), "the plugin ours gave -inf, which is no number"),
        (giving(2**2000), "the plugin ours gave 1148*, which is no number"),
        (skipping, "the plugin ours raised Skipped: not here (test_extra.py:*)"),
        (
            attrgetter("heat"),
            "the plugin ours raised AttributeError: 'Observation' object has no attribute 'heat'",
        ),
        (
            installed(failing),
            "the plugin ours raised ZeroDivisionError: division by zero (heat/figures.py:*)",
        ),
        (None, "no plugin declares it"),
    ],
)
def test_a_figure_that_is_not_known_fails(figure: Figure | None, why: str) -> None:
    for name, wanted in (("max_x", "at most 100 allowed"), ("min_x", "at least 100 required")):
        (found,) = violations(name, 100, figure)
        assert found.observed is None
        about = "graphs" if figure else name
        assert fnmatchcase(found.message, f"{about}: unknown, because {why}, {wanted}")


def test_a_bound_that_no_hook_has_given_its_plugin_is_told_without() -> None:
    declared = {"max_x": ExtraBound(name="max_x", about="graphs", figure=lambda _: None)}
    contract = Contract(extra={"max_x": Bound(3)})
    (found,) = judge(contract, SEEN, TORCH, declared=declared).violations
    assert found.why == "its plugin does not know it"


def test_a_bound_that_is_none_hides_no_other() -> None:
    bounds = {name: Bound(number) for name, number in (("max_a", None), ("max_b", 4))}
    declared = {
        name: ExtraBound(name=name, about=name, figure=lambda seen: seen.graphs) for name in bounds
    }
    verdict = judge(Contract(extra=bounds), SEEN, TORCH, declared=declared)
    assert [violation.bound for violation in verdict.violations] == ["max_b"]


def test_every_doubt_is_one_about_a_bound_of_a_plugin() -> None:
    doubts = Doubt(("calls",), "one"), Doubt(("graphs",), "two")
    declared = {"max_x": ExtraBound(name="max_x", about="graphs", figure=lambda _: 3)}
    contract = Contract(extra={"max_x": Bound(3)})
    (found,) = judge(contract, observation(doubts=doubts), TORCH, declared=declared).violations
    assert (found.observed, found.why) == (None, "one; two")


def test_a_version_map_without_an_entry() -> None:
    with pytest.raises(BoundError, match="has no entry for torch"):
        violations("max_x", (("<2", 5),), lambda seen: seen.graphs)


@pytest.mark.parametrize(
    ("fields", "error", "message"),
    [
        ({"name": "matmuls"}, ValueError, "'matmuls' is no name of a bound: begin it with max_ or"),
        ({"name": "max_"}, ValueError, "begin it with max_ or min_"),
        ({"name": "max_graphs"}, ValueError, "is a field of every contract: choose another name"),
        ({"name": 3}, TypeError, r"name and about of a bound are texts, got \(3, 'x'\)"),
        ({"about": None}, TypeError, "name and about of a bound are texts"),
        ({"figure": 3}, TypeError, "the figure of max_x is no function: 3"),
    ],
)
def test_what_is_no_bound(fields: dict[str, Any], error: type[Exception], message: str) -> None:
    right = {"name": "max_x", "about": "x", "figure": lambda seen: seen.graphs}
    with pytest.raises(error, match=message):
        ExtraBound(**{**right, **fields})
