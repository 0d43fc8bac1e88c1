"""What happened while Dynamo converted one frame, and in one call: the recorder's raw records."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from types import CodeType

from pytest_compilecheck.observe.events import (
    BreakEvent,
    FrameFacts,
    GeneratedCode,
    GraphOrigin,
    OpaqueCall,
    Outcome,
    Reason,
    RegionTarget,
    Specialization,
    TracingError,
)
from pytest_compilecheck.observe.values.recompile import Change


@dataclass(slots=True, eq=False)
class Graph:
    """A graph that a backend returned; `number` counts them, from 0, over the whole watch.

    `generated` is what Inductor made of it, () where the backend was another. One of a `backward`
    is what compiled autograd captured, or a hook in it. `variant_of` is the number of the graph in
    whose place it runs, for sizes that are special to that.
    """

    number: int
    ops: int
    rebuild: bool
    backward: bool = False
    opaque: tuple[OpaqueCall, ...] = ()
    generated: tuple[GeneratedCode, ...] = ()
    variant_of: int | None = None


@dataclass(slots=True, eq=False)
class Region:
    """What was handed to torch.compile.

    `root` is the first code in it that torch could trace, `target` what it was made of, both None
    until they are known. `created_before` tells that it was compiled before the watch began.
    """

    number: int
    created_before: bool
    root: CodeType | None = None
    target: RegionTarget | None = None


@dataclass(slots=True, eq=False)
class Conversion:
    """One frame that Dynamo looked at. `call` is None outside any call into a region.

    `resets` counts how often the compile cache had been emptied during the watch. `variant_of` is
    the number of a graph that was compiled once more as it ran, in place of a frame.
    """

    code: CodeType
    call: int | None
    region: Region | None
    had_entries: bool
    reasons: tuple[Reason, ...] | None = None
    changes: tuple[Change, ...] = ()
    specializations: list[Specialization] = field(default_factory=list)
    breaks: list[BreakEvent] = field(default_factory=list)
    errors: list[TracingError] = field(default_factory=list)
    unresumed: list[BreakEvent] = field(default_factory=list)
    graphs: list[Graph] = field(default_factory=list)
    outcome: Outcome = field(default_factory=Outcome)
    reaches_tensor: bool = False
    resets: int = 0
    variant_of: int | None = None

    @property
    def is_root(self) -> bool:
        """Whether it is the region's own function."""
        return self.region is not None and self.region.root is self.code

    @property
    def recompiled(self) -> bool:
        """Whether it is a completed recompile."""
        return self.reasons is not None and self.outcome.compiled

    def repeats_backward(self, change: Change) -> None:
        """It is of a backward that compiled autograd had captured before: make it a recompile."""
        self.reasons = (Reason("", "compiled autograd captured the backward again"),)
        self.changes = (change,)


@dataclass(slots=True, eq=False, kw_only=True)
class Call:
    """One call: an ordinary hit, but for the fields that say otherwise.

    `unanswered` counts cache misses after which nothing was compiled, `backwards` those that
    AOTAutograd had compiled in it; `launched` are the numbers of the graphs it ran, in order;
    `eager_stances` those under which a region ran eagerly though graphs of others ran in the call.
    """

    index: int
    region: Region
    seconds: float
    launched: tuple[int, ...]
    stance: str = "default"
    compile_seconds: float = 0.0
    unanswered: int = 0
    eager_stances: tuple[str, ...] = ()
    backwards: int = 0
    conversions: tuple[Conversion, ...] = ()
    sizes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    error: str | None = None

    @property
    def has_eager_work(self) -> bool:
        """Whether work in it ran eagerly that has a graph, or had one: at a limit, by a stance."""
        return self.unanswered > 0 or bool(self.eager_stances)


@dataclass(slots=True)
class CompiledCode:
    """Where compiled code comes from, that from before the watch included.

    `graphs` tells it of graphs, by their numbers. `graphless` is what was compiled to no graph,
    since it breaks before its first operation: nothing tells when that runs.
    """

    graphs: dict[int, GraphOrigin] = field(default_factory=dict)
    graphless: list[GraphOrigin] = field(default_factory=list)

    def add(self, conversion: Conversion) -> None:
        """Code was compiled."""
        origin = GraphOrigin(conversion.code, conversion.outcome.resumes)
        for graph in conversion.graphs:
            self.graphs[graph.number] = origin
        if not conversion.graphs:
            self.graphless.append(origin)

    def copy(self) -> CompiledCode:
        """As it is now; other threads may go on compiling."""
        return CompiledCode(dict(self.graphs), list(self.graphless))


@dataclass(frozen=True, slots=True)
class Cut:
    """Raw records of a stretch of time."""

    calls: list[Call]
    conversions: list[Conversion]
    graphs: list[Graph]
    troubles: list[str]
    backwards: list[float]
    rerecords: list[str]
    compiled: CompiledCode

    def count_from_zero(self) -> Callable[[int], int]:
        """Number the calls anew, in the order in which they are here.

        Gives what turns a number of before into the new one, or into that of the next call here.
        """
        before = [call.index for call in self.calls]
        numbers = {index: number for number, index in enumerate(before)}
        for call in self.calls:
            call.index = numbers[call.index]
        for conversion in self.conversions:
            if conversion.call is not None:
                conversion.call = numbers.get(conversion.call)
        return partial(bisect_left, before)


class ConversionRecorder:
    """Fills a `Conversion` as its events come (`events.ConversionSink`); it never raises."""

    __slots__ = ("_finish", "_frame", "_generated", "_new_graph", "_trouble", "record")

    def __init__(
        self,
        record: Conversion,
        frame: FrameFacts,
        finish: Callable[[ConversionRecorder], None],
        new_graph: Callable[[int, bool], Graph],
        trouble: Callable[[str, BaseException | None], None],
    ) -> None:
        self.record = record
        self._frame = frame
        self._finish = finish
        self._new_graph = new_graph
        self._trouble = trouble
        self._generated: list[GeneratedCode] = []

    def broke(self, event: BreakEvent) -> None:
        """Capture stopped."""
        self.record.breaks.append(event)

    def failed(self, error: TracingError) -> None:
        """Tracing ended with an exception."""
        self.record.errors.append(error)

    def recompiling(self, reasons: tuple[Reason, ...]) -> None:
        """Entries exist and none held."""
        self.record.reasons = reasons
        self._frame.guards.explain(reasons)

    def specialized(self, event: Specialization) -> None:
        """A symbolic size became a number."""
        named = tuple(map(self._frame.guards.name, event.sources))
        self.record.specializations.append(replace(event, sources=named))

    def gave_up_rest(self, event: BreakEvent) -> None:
        """The rest of the function was left to Python."""
        self.record.unresumed.append(event)

    def generated(self, code: GeneratedCode) -> None:
        """Inductor made code of a graph that is being compiled."""
        self._generated.append(code)

    def graph_compiled(self, ops: int, opaque: tuple[OpaqueCall, ...]) -> None:
        """A backend returned a callable."""
        variant_of = self.record.variant_of
        graph = self._new_graph(ops, self.record.reasons is not None or variant_of is not None)
        graph.variant_of = variant_of
        graph.opaque = opaque
        graph.generated = tuple(self._generated)
        self._generated.clear()
        self.record.graphs.append(graph)

    def ended(self, outcome: Outcome) -> None:
        """The conversion is over."""
        try:
            # Up to 2.12 the reason is worked out, without knowing what ended the tracing.
            if outcome.skip == "no_ops" and (self.record.errors or self.record.breaks):
                outcome = replace(outcome, skip="error")
            self.record.outcome = outcome
            self.record.changes = self._frame.guards.changes()
            if not outcome.compiled and outcome.skip not in (None, "skip_file"):
                self.record.reaches_tensor = self._frame.reaches_tensor()
        except Exception as error:  # noqa: BLE001 - it looks into objects of anybody's classes
            self._trouble("the arguments of a skipped frame could not be read", error)
        finally:
            self._finish(self)

    def is_first(self) -> bool:
        """Whether nothing that torch traces ran in the call before; only until `ended`."""
        try:
            return self._frame.is_first()
        except Exception as error:  # noqa: BLE001 - nothing here may fail a compile
            self._trouble("whether a frame is a region's own is unknown", error)
            return False

    def sizes(self) -> dict[str, tuple[int, ...]]:
        """Sizes of the frame's tensor arguments by the author's names; only until `ended`."""
        try:
            name = self._frame.guards.name
            return {
                name(re.sub(r"^\w+", lambda root: f"L['{root[0]}']", given)): size
                for given, size in self._frame.sizes().items()
            }
        except Exception:  # noqa: BLE001 - a user's class may refuse to be looked at
            return {}
