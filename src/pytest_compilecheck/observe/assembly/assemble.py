"""Raw records of a watch to an `Observation`."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from pytest_compilecheck.observe.assembly.after_reset import mark_repeated_graphs
from pytest_compilecheck.observe.assembly.break_sites import BreakSiteFinder
from pytest_compilecheck.observe.assembly.cross_check import compiled_after_reset, unrecorded_breaks
from pytest_compilecheck.observe.assembly.doubtful import with_doubts
from pytest_compilecheck.observe.assembly.fallbacks import (
    FallbackFinder,
    conversion_fallback,
    ran_eagerly,
)
from pytest_compilecheck.observe.assembly.kernel_use import (
    Launches,
    cudagraph_skips,
    kernel_use,
    kernels_of_call,
    launched_kernels,
    launches_in_calls,
)
from pytest_compilecheck.observe.assembly.opaque import opaque_ops
from pytest_compilecheck.observe.assembly.rebuilds import (
    assumed_sizes,
    fixed_sizes,
    fragile_guards,
    recompile_attempts,
    recompile_events,
)
from pytest_compilecheck.observe.assembly.warm import (
    EarlierBreaks,
    earlier_codes,
    warm_graphs,
)
from pytest_compilecheck.observe.recording.conversion import (
    Call,
    CompiledCode,
    Conversion,
    Graph,
)
from pytest_compilecheck.observe.source import Ownership, author_name
from pytest_compilecheck.observe.values.doubt import Doubt, why_unknown
from pytest_compilecheck.observe.values.observation import (
    CallKind,
    Mismatch,
    Observation,
    TimelineEntry,
)
from pytest_compilecheck.observe.values.recompile import count_recompiles

_REFUSED = "torch.compile stance is 'fail_on_recompile'"  # torch/_dynamo/eval_frame.py


@dataclass(frozen=True, slots=True)
class StepMark:
    """From call `first_call` on, calls belong to this step of a trace."""

    first_call: int
    step: int
    pass_: int
    sizes: Mapping[str, tuple[int, ...]]
    weight: int


def assemble(
    *,
    calls: Sequence[Call],
    conversions: Sequence[Conversion],
    graphs: Sequence[Graph],
    known: CompiledCode | None = None,
    marks: Sequence[StepMark],
    ownership: Ownership,
    ids_by_title: Mapping[str, str],
    problems: Sequence[str],
    doubts: Sequence[Doubt] = (),
    compiled: Mapping[str, range] = MappingProxyType({}),
    idle_steps: Sequence[int] = (),
    mismatches: Sequence[Mismatch] = (),
    operator_faults: Mapping[str, tuple[str, ...]] | None = None,
    backwards: Sequence[float] = (),
    rerecords: Sequence[str] = (),
    memory_growth: int | None = None,
    remade_inputs: Sequence[str] = (),
) -> Observation:
    """The observation of a watch, from what its recorder kept.

    `known` tells where compiled code comes from, that from before the watch included.
    `backwards` has the seconds outside of calls of each backward that AOTAutograd had compiled,
    `rerecords` the reason of each CUDA graph that was recorded again. `doubts` make figures
    unknown.
    `compiled` gives for each name that a contract compiles the numbers of the regions made of it.
    """
    mark_repeated_graphs(conversions)
    entered = {call.region.number for call in calls}
    launches = {graph.number: launched_kernels(graph) for graph in graphs}
    kinds = {call.index: call_kind(call, ownership) for call in calls}
    eager = [call for call in calls if ran_eagerly(call, kinds[call.index])]
    forwards = [graph for graph in graphs if not graph.backward]
    first_compiled = [graph.ops for graph in forwards if not graph.rebuild]
    in_calls = launches_in_calls(graphs, launches)
    names = _region_names(calls)
    warm = warm_graphs(calls, graphs)
    earlier = EarlierBreaks(conversions, known or CompiledCode(), ownership)
    marked = {call.index: _mark_of(call, marks) for call in calls}
    events = recompile_events(conversions, ownership)
    # That torch told of no break says a doubt already.
    missing = () if why_unknown(doubts, "graph_breaks") else unrecorded_breaks(conversions)
    seen = Observation(
        graphs=len(forwards),
        captured_ops=sum(first_compiled),
        smallest_graph_ops=min(first_compiled, default=None),
        break_sites=tuple(BreakSiteFinder(ownership, ids_by_title).find(conversions, calls)),
        recompiles=count_recompiles(events),
        recompile_events=events,
        recompile_attempts=recompile_attempts(conversions, ownership),
        fragile_guards=fragile_guards(conversions, ownership),
        fixed_sizes=fixed_sizes(conversions, ownership),
        assumed_sizes=assumed_sizes(conversions, ownership),
        fallbacks=tuple(FallbackFinder(ownership).find(conversions, eager, graphs)),
        timeline=tuple(
            _entry(
                call,
                kinds[call.index],
                marked[call.index],
                names[call.region.number],
                launches=in_calls,
                remade=remade_inputs,
            )
            for call in calls
        ),
        opaque_ops=opaque_ops(graphs, operator_faults, ownership),
        kernels=kernel_use(graphs, launches),
        cudagraph_skips=cudagraph_skips(graphs),
        cudagraph_rerecords=tuple(rerecords),
        mismatches=tuple(mismatches),
        backward_graphs=len(backwards) + len(graphs) - len(forwards),
        backward_seconds=sum(backwards),
        memory_growth=memory_growth,
        warm_graphs=len(warm),
        earlier_codes=earlier_codes(conversions),
        earlier_breaks=earlier.find(calls, warm),
        problems=(*problems, *missing, *_hidden_by_resets(conversions, calls, marked)),
        uncalled=tuple(name for name, made in compiled.items() if entered.isdisjoint(made)),
        idle_steps=tuple(idle_steps),
        remade_inputs=tuple(remade_inputs),
    )
    return with_doubts(seen, doubts)


def call_kind(call: Call, ownership: Ownership) -> CallKind:
    """The kind of a call; the first that applies counts."""
    if call.error is not None:
        return "error"
    if any(conversion.recompiled for conversion in call.conversions):
        return "recompile"
    if call.backwards or any(conversion.graphs for conversion in call.conversions):
        return "compile"
    if not call.launched or call.has_eager_work:
        return "fallback"
    if any(conversion_fallback(conversion, ownership) for conversion in call.conversions):
        return "fallback"
    return "hit"


def _region_names(calls: Sequence[Call]) -> dict[int, str]:
    """A name for each region that was entered; those of one name are numbered."""
    plain: dict[int, str] = {}
    for call in calls:
        target, root = call.region.target, call.region.root
        given = target.name if target else ""
        plain[call.region.number] = given or (author_name(root.co_name) if root else "")
    names: dict[int, str] = {}
    for number, name in plain.items():
        same = [other for other, of_other in plain.items() if of_other == name]
        names[number] = name if len(same) == 1 else f"{name} #{same.index(number) + 1}"
    return names


def _entry(
    call: Call,
    kind: CallKind,
    mark: StepMark | None,
    region: str,
    *,
    launches: Launches,
    remade: Sequence[str],
) -> TimelineEntry:
    of_trace = dict(mark.sizes) if mark else {}
    # What a plugin made may hold no tensor that is seen, or have symbols for sizes.
    unseen = {n: of_trace[n] for n in remade if n in of_trace and -1 in call.sizes.get(n, (-1,))}
    return TimelineEntry(
        call=call.index,
        step=mark.step if mark else None,
        pass_=mark.pass_ if mark else None,
        kind=kind,
        sizes={**call.sizes, **unseen} if call.sizes else of_trace,
        seconds=call.seconds,
        compile_seconds=call.compile_seconds,
        graph_launches=len(call.launched),
        region=region,
        kernels=kernels_of_call(call, launches),
        weight=mark.weight if mark else 1,
        error=call.error,
        failed_to_compile=call.error is not None and _failed_to_compile(call),
    )


def _mark_of(call: Call, marks: Sequence[StepMark]) -> StepMark | None:
    position = bisect_right(marks, call.index, key=lambda mark: mark.first_call) - 1
    return marks[position] if position >= 0 else None


def _hidden_by_resets(
    conversions: Sequence[Conversion],
    calls: Sequence[Call],
    marked: Mapping[int, StepMark | None],
) -> Iterable[str]:
    if not any(conversion.resets for conversion in conversions):
        return ()
    inputs = {call.index: _inputs(call, marked[call.index]) for call in calls}
    return compiled_after_reset(conversions, inputs)


def _inputs(call: Call, mark: StepMark | None) -> object:
    """What is equal for calls with the same inputs, as far as a watch knows them."""
    return (mark.step if mark else None, frozenset(call.sizes.items()))


def _failed_to_compile(call: Call) -> bool:
    """Whether the compiler ended a call; under one stance it does where it would recompile."""
    refused = call.stance == "fail_on_recompile" and _REFUSED in (call.error or "")
    return refused or any(map(_failed, call.conversions))


def _failed(conversion: Conversion) -> bool:
    """Whether the compiler or a backend raised; a graph break in full-graph mode is a site."""
    unsupported = any(error.unsupported for error in conversion.errors)
    return conversion.outcome.raised and not unsupported
