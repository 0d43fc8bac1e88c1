"""The trace once, in order, from an empty compile cache: where compiling and memory go."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from pytest_compilecheck.contract.trace.model import Step
from pytest_compilecheck.observe.values.observation import Observation, TimelineEntry
from pytest_compilecheck.observe.values.recompile import Change, RecompileEvent
from pytest_compilecheck.policies.measured import ReplayCall
from pytest_compilecheck.replay.meters import Readings, readings
from pytest_compilecheck.replay.runner import Runner, StepRun, Told


@dataclass(slots=True)
class FirstPass:
    """What the first pass gave so far; `elements` by step are those of the input tensors."""

    calls: list[ReplayCall] = field(default_factory=list)
    seen: list[Observation] = field(default_factory=list)
    elements: dict[int, int] = field(default_factory=dict)

    def add(self, run: StepRun, found: Readings, elements: int) -> None:
        """Add a step."""
        first = len(self.calls)
        self.calls += _calls(run, found, first)
        self.seen.append(run.seen)
        self.elements[run.step.index] = elements


def run_first_pass(runner: Runner, steps: Iterable[Step], done: FirstPass, told: Told) -> None:
    """Run the steps, and add each to what is `done`, also if a later one raises."""
    steps = tuple(steps)
    for at, step in enumerate(steps):
        told("first pass", at, len(steps))
        with readings(runner.device) as found:
            run = runner.run(step, 0)
            elements = runner.shaping.elements(step, run.inputs)
            run = run.let_go()
        done.add(run, found, elements)


def _calls(run: StepRun, found: Readings, first: int) -> Iterator[ReplayCall]:
    """The calls of a step; what is known of the step alone goes to the one that took longest."""
    longest = max(run.calls, key=lambda call: call.seconds, default=None)
    for entry in run.calls:
        call = _call(entry, run, first + entry.call)
        if entry is run.calls[-1]:
            call = replace(call, seconds=call.seconds + run.rest)
        yield _with_readings(call, found) if entry is longest else call


def _call(entry: TimelineEntry, run: StepRun, number: int) -> ReplayCall:
    at_limit = [
        fallback
        for fallback in run.seen.fallbacks
        if fallback.kind == "recompile_limit" and entry.call in fallback.calls
    ]
    assert entry.graph_launches is not None  # without doubts it is known
    return ReplayCall(
        call=number,
        step=run.step.index,
        kind=entry.kind,
        sizes=run.step.sizes(),
        seconds=entry.seconds,
        compile_seconds=entry.compile_seconds,
        launches=entry.graph_launches,
        evictions=len(at_limit),
        detail=_what_changed(run.seen.recompile_events, entry.call, run.step),
    )


def _with_readings(call: ReplayCall, found: Readings) -> ReplayCall:
    # Kernels that are tried while a graph is compiled are part of that.
    apart = found.autotune_seconds if not call.compile_seconds else 0.0
    return replace(
        call,
        backend_seconds=min(found.backend_seconds, call.compile_seconds),
        gc_seconds=found.gc_seconds,
        guards=found.guards,
        evictions=call.evictions + found.dropped,
        autotune_seconds=apart,
        memory_before=found.memory_before,
        memory=found.memory,
        device_memory=found.device_memory,
    )


def _what_changed(events: Iterable[RecompileEvent], call: int, step: Step) -> str:
    """ "S: 128 -> 129" for each thing that had a code object rebuilt in a call."""
    changes = [change for event in events if event.call == call for change in event.changes]
    return ", ".join(dict.fromkeys(_told(change, step) for change in changes))


def _told(change: Change, step: Step) -> str:
    name = dim_of(change.source, step) or change.source
    values = f": {change.expected} -> {change.actual}" if change.expected or change.actual else ""
    return name + values


def dim_of(source: str, step: Step) -> str | None:
    """The named dim that "x.size(1)" is in a step, None where it is none."""
    label, found, rest = source.rpartition(".size(")
    names = step.named.get(label, ())
    position = rest.removesuffix(")")
    if not found or not position.isdigit() or int(position) >= len(names):
        return None
    return names[int(position)]
