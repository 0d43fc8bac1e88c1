"""Whether the dims that a contract wants dynamic are symbols in the graphs that were compiled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from pytest_compilecheck.contract.trace.model import Step, Trace
from pytest_compilecheck.judge.rebuilt_dims import places, rebuilds_for
from pytest_compilecheck.observe.values.observation import Observation, TimelineEntry
from pytest_compilecheck.observe.values.recompile import AssumedSizes, FixedSize

_SPECIAL = {
    "zero_one": "torch compiles sizes 0 and 1 apart from all others",
    "duck_shape": "it had the value of another size, and torch took them for one",
    "static_parameter": "it is tied to the size of a Parameter, which is always fixed",
    "condition": "the code branches on it",
}


@dataclass(frozen=True, slots=True)
class StaticDim:
    """A dim that a graph holds fixed after it had changed: in which call, at what size, why."""

    dim: str
    call: int
    source: str
    size: int
    why: str

    def told(self) -> str:
        """One sentence."""
        where = f"the graph of call {self.call} holds {self.source} at {self.size}"
        return f"the dim {self.dim} is not dynamic: {where}, because {self.why}"


@dataclass(frozen=True, slots=True)
class _Use:
    """A size of a tensor argument in one graph, where a step has a dim; None is a symbol."""

    graph: AssumedSizes
    source: str
    size: int | None


def static_dims(dims: Sequence[str], trace: Trace, seen: Observation) -> list[StaticDim]:
    """The first graph for each dim that holds it fixed; none for dims that are as wanted."""
    return [found for dim in dims for found in islice(_static(dim, trace, seen), 1)]


def unknown_dims(dims: Sequence[str], trace: Trace, seen: Observation) -> list[str]:
    """A sentence for each dim of which no graph tells anything."""
    return [
        f"whether the dim {dim} is dynamic is unknown: no compiled function takes a tensor that"
        f" has it{_why_unseen(dim, trace, seen)}"
        for dim in dims
        if not any(True for _ in _uses(dim, trace, seen, from_call=0))
        and not any(True for _ in _static(dim, trace, seen))
    ]


def _static(dim: str, trace: Trace, seen: Observation) -> Iterator[StaticDim]:
    """Where a dim is fixed: in graphs of regions' own functions, in others, in a failed compile."""
    for use in _uses(dim, trace, seen):
        if use.size is not None:
            why = _why(use.source, use.graph.call, use.size, seen)
            yield StaticDim(dim, use.graph.call, use.source, use.size, why)
    for call, change in rebuilds_for(dim, trace, seen):
        size = int(change.actual)
        why = _why(change.source, call, size, seen)
        yield StaticDim(dim, call, change.source, size, why)
    yield from _refused(dim, trace, seen)


def _why_unseen(dim: str, trace: Trace, seen: Observation) -> str:
    """For a message: which inputs with the dim a plugin made, so that only a part could tell."""
    names = {name for step in trace.steps for name, _ in places(dim, step)}
    remade = ", ".join(name for name in seen.remade_inputs if name in names)
    why = "the tensors in it that the code takes have other sizes than those of the trace"
    return f" (a plugin makes {remade}: {why})" if remade else ""


def _uses(
    dim: str, trace: Trace, seen: Observation, from_call: int | None = None
) -> Iterator[_Use]:
    """Where graphs have a dim, from the call on in which it first changes."""
    calls = {entry.call: entry for entry in seen.timeline}
    first = _first_change(dim, trace, seen.timeline) if from_call is None else from_call
    remade = seen.remade_inputs
    for graph in seen.assumed_sizes:
        entry = calls.get(graph.call)
        if first is None or graph.call < first or entry is None or entry.step is None:
            continue
        step = trace.steps[entry.step]
        for name, index in places(dim, step):
            for argument in _arguments(name, step, graph, entry, remade=name in remade):
                sizes = graph.sizes[argument]
                if index < len(sizes):
                    yield _Use(graph, f"{argument}.size({index})", sizes[index])


def _first_change(dim: str, trace: Trace, timeline: Sequence[TimelineEntry]) -> int | None:
    """The first call of a step in which a dim is not what it is in the first step."""
    before = trace.steps[0].dims.get(dim)
    changed = (
        entry.call
        for entry in timeline
        if entry.step is not None and trace.steps[entry.step].dims.get(dim) != before
    )
    return next(changed, None)


def _arguments(
    name: str, step: Step, graph: AssumedSizes, entry: TimelineEntry, *, remade: bool
) -> list[str]:
    """The arguments of a compiled function that an input of the trace is.

    The test function itself has it under its own name; a compiled parameter that the test calls
    may have another: there the argument of the same sizes is it. In what a plugin `remade` it is
    the tensors inside that have its sizes: the dims of the whole may be others.
    """
    if name in graph.sizes and not remade:
        return [name]
    sizes = step.sizes()[name]
    return [
        argument
        for argument, actual in entry.sizes.items()
        if actual == sizes and argument in graph.sizes and not (remade and argument == name)
    ]


def _why(source: str, call: int, size: int, seen: Observation) -> str:
    fixed = [each for each in seen.fixed_sizes if each.call == call and source in each.sources]
    if fixed:
        return _line_needs_it(fixed[0])
    for event in seen.recompile_events:
        for change in event.changes:
            if event.call == call and change.source == source and change.special in _SPECIAL:
                return _SPECIAL[change.special]
    if size in (0, 1):
        return _SPECIAL["zero_one"]
    return "torch was not asked to make it dynamic (dynamic=False, mark_static), or keeps it fixed"


def _line_needs_it(fixed: FixedSize) -> str:
    return f"{fixed.file}:{fixed.line} makes a number of it: {fixed.code}"


def _refused(dim: str, trace: Trace, seen: Observation) -> Iterator[StaticDim]:
    """Where a size was marked dynamic and the code fixed it, so that compiling failed."""
    calls = {entry.call: entry for entry in seen.timeline}
    for fixed in seen.fixed_sizes:
        entry = calls.get(fixed.call)
        if entry is None or entry.step is None or not entry.failed_to_compile:
            continue
        step = trace.steps[entry.step]
        named = {f"{name}.size({index})" for name, index in places(dim, step)}
        for source in named & set(fixed.sources):
            yield StaticDim(dim, fixed.call, source, int(fixed.value), _line_needs_it(fixed))
