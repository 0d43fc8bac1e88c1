"""Opaque operators of a watch, by the lines that call them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from pytest_compilecheck.observe.assembly.versions import without_rebuilds
from pytest_compilecheck.observe.events import OpaqueCall, StackFrame
from pytest_compilecheck.observe.recording.conversion import Graph
from pytest_compilecheck.observe.source import Ownership, author_name, source_line
from pytest_compilecheck.observe.values.observation import OpaqueOp

_NEVER_CALLED = ("it cannot be checked, because no call of it was seen to run",)


def opaque_ops(
    graphs: Iterable[Graph], faults: Mapping[str, tuple[str, ...]] | None, ownership: Ownership
) -> tuple[OpaqueOp, ...]:
    """One for each operator and line; `faults` by the name of the operator, None if not asked."""
    counted = without_rebuilds(
        (graph, Counter((call.name, _place(call, ownership)) for call in graph.opaque))
        for graph in graphs
    )
    return tuple(
        _told(name, place, calls, faults, ownership) for (name, place), calls in counted.items()
    )


def _told(
    name: str,
    place: StackFrame | None,
    calls: int,
    faults: Mapping[str, tuple[str, ...]] | None,
    ownership: Ownership,
) -> OpaqueOp:
    return OpaqueOp(
        name=name,
        calls=calls,
        file=ownership.relative(place.file) if place else None,
        line=place.line if place else None,
        function=author_name(place.function) if place else None,
        code=source_line(place.file, place.line) if place else "",
        faults=faults.get(name, _NEVER_CALLED) if faults is not None else None,
    )


def _place(call: OpaqueCall, ownership: Ownership) -> StackFrame | None:
    """The innermost frame of the project's own code, or else of any outside torch."""
    outside: Sequence[StackFrame] = [
        frame for frame in call.traced if ownership.owner(frame.file) != "torch"
    ]
    own = [frame for frame in outside if ownership.owner(frame.file) == "own"]
    found = own or outside
    return found[-1] if found else None
