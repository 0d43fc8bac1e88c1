"""Which dims of a trace changed, and whether torch made symbols of them."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_compilecheck.contract.trace.model import Trace
from pytest_compilecheck.judge.dynamic_dims import static_dims, unknown_dims
from pytest_compilecheck.observe.values.observation import Observation
from pytest_compilecheck.report.wording import plural


def seen_dims(trace: Trace, seen: Observation) -> Iterator[tuple[list[str] | None, str]]:
    """The dims that are symbols, and sentences on them; None for each other dim that changed."""
    symbols: dict[str, str] = {}
    for dim, sizes in _changing(trace).items():
        told = f"{plural(len(sizes), 'size')} of {dim}, {plural(seen.graphs, 'graph')}"
        static, unknown = static_dims([dim], trace, seen), unknown_dims([dim], trace, seen)
        if static or unknown:
            yield None, "; ".join([told, *unknown, *(each.told() for each in static)])
        else:
            symbols[dim] = told + _how(dim, trace, seen)
    if symbols:
        yield list(symbols), "; ".join(symbols.values())


def _changing(trace: Trace) -> dict[str, set[int]]:
    sizes: dict[str, set[int]] = {}
    for step in trace.steps:
        for dim, size in step.dims.items():
            sizes.setdefault(dim, set()).add(size)
    return {dim: found for dim, found in sizes.items() if len(found) > 1}


def _how(dim: str, trace: Trace, seen: Observation) -> str:
    """In which call torch made a symbol of the dim, as far as its rebuilds tell."""
    named = {
        f"{name}.size({index})"
        for step in trace.steps
        for name, names in step.named.items()
        for index, each in enumerate(names)
        if each == dim
    }
    calls = [
        event.call
        for event in seen.recompile_events
        for change in event.changes
        if change.automatic_dynamic and change.source in named
    ]
    return f": torch made {dim} a symbol in call {calls[0]}" if calls else f": {dim} is a symbol"
