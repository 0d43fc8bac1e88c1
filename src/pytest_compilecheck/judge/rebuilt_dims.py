"""Rebuilds that show a dim of the trace in graphs that do not take its tensors by their names.

Behind a graph break, and in functions that torch compiles apart, a graph takes what the code before
has made: the same tensor under its own name or another, one made of it, or its size as a number.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any, NamedTuple

from pytest_compilecheck.contract.trace.inputs import Leaf, leaves, to_plain
from pytest_compilecheck.contract.trace.model import Step, Trace
from pytest_compilecheck.contract.trace.spec import TensorSpec
from pytest_compilecheck.observe.values.observation import Observation
from pytest_compilecheck.observe.values.recompile import Change

Steps = Mapping[int, Step]
"""The steps of the trace, by the calls that they made."""


class Rebuild(NamedTuple):
    """A code object was rebuilt in a call, because this had changed."""

    call: int
    change: Change


def rebuilds_for(dim: str, trace: Trace, seen: Observation) -> Iterator[Rebuild]:
    """Rebuilds by graphs that hold something fixed which is surely the dim, or a multiple of it."""
    steps = {
        entry.call: trace.steps[entry.step] for entry in seen.timeline if entry.step is not None
    }
    for rebuilds in _by_source(seen):
        factors = {_factor(dim, each, steps) for each in rebuilds}
        factor = factors.pop()
        if factors or factor is None:
            continue  # in some call it is something else
        for each in rebuilds:
            if _made_a_number(each.change) and _is_dim(dim, factor, each, steps):
                yield each


def places(dim: str, step: Step) -> list[tuple[str, int]]:
    """Inputs of a step that have a dim, each with its position."""
    return [
        (name, index)
        for name, names in step.named.items()
        for index, each in enumerate(names)
        if each == dim
    ]


def _by_source(seen: Observation) -> Iterator[list[Rebuild]]:
    """All changes of the same thing in the same code, together."""
    found: defaultdict[tuple[int, str], list[Rebuild]] = defaultdict(list)
    for event in seen.recompile_events:
        for change in event.changes:
            found[event.code_object, change.source].append(Rebuild(event.call, change))
    yield from found.values()


def _factor(dim: str, rebuild: Rebuild, steps: Steps) -> int | None:
    """By how much the value in a call is the dim's size there; None if it is no whole multiple."""
    step, actual = steps.get(rebuild.call), rebuild.change.actual
    size = step.dims[dim] if step is not None else 0
    if not (size and actual.isdigit() and int(actual)) or int(actual) % size:
        return None
    return int(actual) // size


def _made_a_number(change: Change) -> bool:
    """Whether the new graph holds an argument's size, or an argument, at what the code made it."""
    return change.fixed_at is not None and change.holder in ("argument", "closure")


def _is_dim(dim: str, factor: int, rebuild: Rebuild, steps: Steps) -> bool:
    """Whether the value before and after can only be that of the dim in two steps."""
    now, change = steps[rebuild.call], rebuild.change
    named = {f"{name}.size({index})" for name, index in places(dim, now)}
    is_same = _changes_alone if factor > 1 or change.source not in named else _changes_as_no_other
    return any(
        is_same(dim, step, now)
        for call, step in steps.items()
        if call < rebuild.call and str(step.dims[dim] * factor) == change.expected
    )


def _changes_as_no_other(dim: str, before: Step, now: Step) -> bool:
    """Whether no other dim has the same two sizes: a name alone may be another tensor's."""
    sizes = before.dims[dim], now.dims[dim]
    same = [other for other in now.dims if (before.dims[other], now.dims[other]) == sizes]
    return same == [dim]


def _changes_alone(dim: str, before: Step, now: Step) -> bool:
    """Whether two steps differ in nothing else: what is made of their inputs differs by it."""
    return _without(dim, before) == _without(dim, now)


def _without(dim: str, step: Step) -> tuple[dict[str, int], list[tuple[str, Any]]]:
    """A step with no size of a dim."""
    dims = {name: size for name, size in step.dims.items() if name != dim}
    made = [
        (label, to_plain(_unsized(dim, leaf, step.named.get(label, ()))))
        for name, given in step.inputs.items()
        for label, leaf in leaves(name, given)
    ]
    return dims, made


def _unsized(dim: str, leaf: Leaf, names: Sequence[str | None]) -> Leaf:
    if not isinstance(leaf, TensorSpec):
        return leaf
    sizes = zip_longest(leaf.shape, names)
    return replace(leaf, shape=tuple(name if name == dim else size for size, name in sizes))
