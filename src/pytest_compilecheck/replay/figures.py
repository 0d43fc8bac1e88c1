"""The figures of a policy that sum up what was seen of it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from pytest_compilecheck.contract.trace.model import Step
from pytest_compilecheck.observe.values.observation import Observation
from pytest_compilecheck.replay.first_pass import FirstPass
from pytest_compilecheck.replay.repeats import Repeats


def figures(done: FirstPass, repeats: Repeats, steps: Sequence[Step]) -> dict[str, Any]:
    """Fields of a `PolicyRun`, by name."""
    seen = [*done.seen, *repeats.unclean]
    return {
        **_counts(seen),
        **_compile_seconds(seen),
        "hit_rate": _hit_rate(done, repeats, steps),
        "real_elements": sum(step.weight * _real_elements(step) for step in steps),
        "elements": sum(step.weight * done.elements[step.index] for step in steps),
        "launches_per_call": _launches_per_call(repeats, steps),
    }


def _counts(seen: Sequence[Observation]) -> dict[str, int]:
    events = Counter(
        (event.file, event.line, event.function) for each in seen for event in each.recompile_events
    )
    sites = {
        (site.file, site.line, site.column, site.reason)
        for each in seen
        for site in each.break_sites
    }
    eager = {
        (fallback.kind, fallback.file, fallback.line, fallback.function)
        for each in seen
        for fallback in each.fallbacks
    }
    compiled = any(each.graphs for each in seen)
    return {
        "variants": int(compiled) + max(events.values(), default=0),
        "graph_breaks": len(sites),
        "recompiles": sum(each.recompiles or 0 for each in seen),
        "fallbacks": len(eager),
    }


def _compile_seconds(seen: Iterable[Observation]) -> dict[str, float]:
    """Calls that rebuilt something apart from those that compiled for the first time."""
    first = rebuilt = 0.0
    for each in seen:
        first += each.backward_seconds
        for call in each.timeline:
            if call.kind == "recompile":
                rebuilt += call.compile_seconds
            else:
                first += call.compile_seconds
    return {"first_compile_seconds": first, "rebuild_seconds": rebuilt}


def _hit_rate(done: FirstPass, repeats: Repeats, steps: Iterable[Step]) -> float | None:
    """A step's first request is what the first pass saw, each further one what is warm."""
    cold = {run.timeline[0].step: _all_hit(run) for run in done.seen if run.timeline}
    hits = total = 0
    for step in steps:
        warm = _all_hit(repeats.last[step.index].seen)
        hits += int(cold.get(step.index, False)) + int(warm) * (step.weight - 1)
        total += step.weight
    return hits / total if total else None


def _all_hit(seen: Observation) -> bool:
    return bool(seen.timeline) and all(call.kind == "hit" for call in seen.timeline)


def _real_elements(step: Step) -> int:
    return sum(math.prod(sizes) for sizes in step.sizes().values())


def _launches_per_call(repeats: Repeats, steps: Iterable[Step]) -> float | None:
    launches = calls = 0
    for step in steps:
        run = repeats.last[step.index]
        launches += step.weight * sum(call.graph_launches or 0 for call in run.calls)
        calls += step.weight * len(run.calls)
    return launches / calls if calls else None
