"""Ways to learn what was compiled: each is given a program, and answers in a few words.

A way that is asked for less than the truth holds is not wrong: `explain` runs one call, so its
answer is held against the breaks alone.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch._dynamo.testing import CompileCounter
from torch._dynamo.utils import counters

from comparison.programs import Program, Truth, many
from pytest_compilecheck import watch


@dataclass(frozen=True)
class Answer:
    """What a way said, and whether that is so of the program."""

    text: str
    right: bool


def explain(program: Program) -> Answer:
    """`torch._dynamo.explain` of the first call."""
    found = torch._dynamo.explain(program.make())(program.inputs()[0]).graph_break_count
    return Answer(many(found, "break"), found == program.truth.breaks)


def break_counter(program: Program) -> Answer:
    """The sum of `torch._dynamo.utils.counters["graph_break"]` after the calls."""
    counters.clear()
    _run(program, backend="eager")
    found = sum(counters["graph_break"].values())
    return Answer(many(found, "break"), found == program.truth.breaks)


def compile_counter(program: Program) -> Answer:
    """`CompileCounter`, of which people assert that it counted one graph."""
    counter = CompileCounter()
    _run(program, backend=counter)
    return Answer(many(counter.frame_count, "graph"), counter.frame_count != 1)


def full_graph(program: Program) -> Answer:
    """`fullgraph=True`, with a recompile an error: the first of either ends the test."""
    with torch._dynamo.config.patch(error_on_recompile=True):
        try:
            _run(program, backend="eager", fullgraph=True)
        except Exception as error:  # noqa: BLE001 - its type depends on the release
            recompile = "Recompile" in type(error).__name__
            return Answer("raises: a recompile" if recompile else "raises: a break", right=True)
    return Answer("passes", right=program.truth == Truth())


def pytest_torch(program: Program) -> Answer:
    """`assert_no_graph_breaks` with the first input, then `assert_no_recompiles` with all."""
    from pytest_torch import assert_no_graph_breaks, assert_no_recompiles

    first, *more = program.inputs()
    if more and more[0].shape == first.shape:
        more = more[1:]  # it calls with the first inputs twice by itself
    try:
        assert_no_graph_breaks(program.make(), first)
        breaks = ""
    except AssertionError:
        breaks = "a break"
    # The number is what it would hold against `max_recompiles`.
    found = assert_no_recompiles(program.make(), first, *more, max_recompiles=len(more) * 10 + 1)
    recompiles = many(found, "recompile") if found else ""
    truth = program.truth
    right = bool(breaks) == bool(truth.breaks) and found == truth.recompiles
    said = ", ".join(filter(None, [breaks, recompiles])) or "passes"
    return Answer(said, right and (said != "passes" or truth == Truth()))


def compilecheck(program: Program) -> Answer:
    """`watch()`, which counts what a contract is held to."""
    with watch() as seen:
        _run(program, backend="eager")
    observed = seen.observation
    assert observed.recompiles is not None  # torch 2.8 and newer tell
    eager = {call for each in observed.fallbacks for call in each.calls}
    found = Truth(len(observed.break_sites), observed.recompiles, len(eager))
    return Answer(str(found), found == program.truth)


WAYS: dict[str, Callable[[Program], Answer]] = {
    "`explain`": explain,
    '`counters["graph_break"]`': break_counter,
    "`CompileCounter`": compile_counter,
    "`fullgraph`, `error_on_recompile`": full_graph,
    "pytest-torch": pytest_torch,
    "pytest-compilecheck": compilecheck,
}
if importlib.util.find_spec("pytest_torch") is None:
    del WAYS["pytest-torch"]


def _run(program: Program, **options: Any) -> None:
    compiled = torch.compile(program.make(), **options)
    for each in program.inputs():
        compiled(each)
