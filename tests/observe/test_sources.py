from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from observe.records import at, broke, call, change, conversion, graph, reasons, recompiled, titled

from pytest_compilecheck.observe.assembly.break_text import parse
from pytest_compilecheck.observe.events import GraphFacts, Outcome
from pytest_compilecheck.observe.recording.conversion import Call
from pytest_compilecheck.observe.sources import Heard, doubts_of
from pytest_compilecheck.observe.values.doubt import FIGURES, Figure

LINE = 12
ASSUMED = Outcome(compiled=True, graph=GraphFacts({}, ()))
FLAG = change(source="flag", expected="True", actual="False")


def calls() -> list[Call]:
    """What a torch that tells all tells of the program."""
    first = conversion(
        graphs=[graph(0)], outcome=ASSUMED, breaks=[broke(at(LINE), text=titled("item", "GB0124"))]
    )
    rest = conversion(graphs=[graph(1)], outcome=ASSUMED)
    rebuilt = recompiled(
        number=2, reasons=reasons("flag == True"), changes=(FLAG,), outcome=ASSUMED
    )
    return [
        call(0, 0, 1, conversions=(first, rest)),
        call(1, 0, 2, conversions=(rebuilt,)),
        call(2, 0, 2, compile_seconds=0.0),
    ]


def heard(told: list[Call], misses: tuple[int, ...] = (0, 1, 0)) -> Heard:
    return Heard(calls=told, misses=misses, line=LINE, read=partial(parse, ids_by_title={}))


def unknown(it: Heard) -> set[Figure]:
    return {figure for each in doubts_of(it, "2.99") for figure in each.figures}


def test_nothing_is_unknown_where_all_was_told() -> None:
    assert list(doubts_of(heard(calls()), "2.13.0")) == []


def changed(**fields: Any) -> Callable[[list[Call]], None]:
    """Every conversion has these fields."""

    def change_all(told: list[Call]) -> None:
        for each in told:
            each.conversions = tuple(dataclasses.replace(c, **fields) for c in each.conversions)

    return change_all


def of_calls(**fields: Any) -> Callable[[list[Call]], None]:
    def change_all(told: list[Call]) -> None:
        for each in told:
            for name, value in fields.items():
                setattr(each, name, value)

    return change_all


def without_region(told: list[Call]) -> None:
    told.clear()


BREAKS = {"graph_breaks"}
SILENT: dict[str, tuple[Callable[[list[Call]], None], set[str]]] = {
    "no calls": (without_region, set(FIGURES)),
    "no conversions": (of_calls(conversions=()), set(FIGURES) - {"calls"}),
    "no outcome": (changed(outcome=Outcome()), set(FIGURES) - {"calls"}),
    "no graphs": (
        changed(graphs=[]),
        set(FIGURES) - {"calls", "graph_breaks", "recompiles", "compile_seconds"},
    ),
    "no launches": (
        of_calls(launched=()),
        {"graph_launches", "fallbacks", "hit_rate", "kernels"},
    ),
    "no breaks": (changed(breaks=[]), {"graph_breaks", "fallbacks", "hit_rate"}),
    "no text of breaks": (changed(breaks=[broke(at(LINE))]), BREAKS),
    "no id of breaks": (changed(breaks=[broke(at(LINE), text=titled("item"))]), BREAKS),
    "no place of breaks": (changed(breaks=[broke(text=titled("item", "GB0124"))]), BREAKS),
    "another place": (changed(breaks=[broke(at(9), text=titled("item", "GB0124"))]), BREAKS),
    "no reasons": (
        changed(reasons=None),
        {"recompiles", "captured_ops", "opaque_ops", "kernels", "dynamic_dims"},
    ),
    "no change": (changed(changes=()), {"recompiles", "dynamic_dims"}),
    "no value": (
        changed(changes=(dataclasses.replace(FLAG, actual="?"),)),
        {"recompiles", "dynamic_dims"},
    ),
    "nothing assumed": (
        changed(outcome=Outcome(compiled=True)),
        {"fragile_guards", "dynamic_dims"},
    ),
    "no seconds": (of_calls(compile_seconds=0.0), {"compile_seconds"}),
    "seconds of a hit": (of_calls(compile_seconds=0.5), {"compile_seconds"}),
}


@pytest.mark.parametrize("name", SILENT)
def test_what_a_silent_source_makes_unknown(name: str) -> None:
    silence, figures = SILENT[name]
    told = calls()
    silence(told)
    assert unknown(heard(told)) == figures


@pytest.mark.parametrize("misses", [(0, 0, 0), (0, 1, 1)])
def test_misses_that_were_not_told_or_were_none(misses: tuple[int, ...]) -> None:
    assert unknown(heard(calls(), misses)) == {"fallbacks", "hit_rate"}


def test_a_doubt_says_what_why_and_what_to_do() -> None:
    told = calls()
    of_calls(launched=())(told)
    (doubt,) = doubts_of(heard(told), "2.99")
    assert doubt.why == (
        "two graphs ran in each call, and other launches were counted (self-check under torch"
        " 2.99); use torch 2.8 to 2.15, without other tools that replace parts of torch.compile, or"
        " set no bound on it"
    )
