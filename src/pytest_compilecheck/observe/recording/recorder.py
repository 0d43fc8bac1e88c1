"""Takes torch's events while a watch is open and keeps them, call by call.

The path of a warm call is entry hook, launch counters, leave hook. It appends three numbers; all
else waits until `calls` is asked for. State of a call under way is kept per thread.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any

from pytest_compilecheck.observe.errors import error_in_flight, told, unseen_error
from pytest_compilecheck.observe.events import FrameFacts, GraphOrigin, RegionTarget
from pytest_compilecheck.observe.recording.conversion import (
    Call,
    CompiledCode,
    Conversion,
    ConversionRecorder,
    Cut,
    Graph,
    Region,
)
from pytest_compilecheck.observe.recording.nested import NestedEntry, left_to_python, own_launches
from pytest_compilecheck.observe.recording.targets import region_target
from pytest_compilecheck.observe.recording.thread_state import NO_CALL, Threads, ThreadState
from pytest_compilecheck.observe.recording.torch_state import TorchState
from pytest_compilecheck.observe.recording.variants import variant_facts
from pytest_compilecheck.observe.values.recompile import Change


class Recorder:
    """The listener (`events.Listener`) behind every watch; none of its methods raises."""

    def __init__(self, torch_state: TorchState) -> None:
        self._torch = torch_state
        self._states: list[ThreadState] = []
        self._threads = Threads(self._states)
        self._numbers = itertools.count()
        self._graph_numbers = itertools.count()
        self.regions_made = 0
        self._pattern_numbers = itertools.count()
        self._patterns: dict[tuple[Region, tuple[int, ...]], int] = {}
        self.graphs: list[Graph] = []
        self.compiled = CompiledCode()
        self.troubles: list[str] = []
        self.backwards: list[float] = []  # seconds outside of calls, of each backward compiled
        self.rerecords: list[str] = []  # why each CUDA graph was recorded again
        self.ignoring = False  # an eager run for comparison is under way

    # What the torch adapter calls.

    def region_entry(self, created_before: bool) -> Callable[[], Callable[[], None]]:
        """The entry hook of one more compiled region."""
        region = Region(self.regions_made, created_before)
        self.regions_made += 1
        threads, numbers, stance = self._threads, self._numbers, self._torch.stance
        leave, enter_nested = self._leave_hook(region), self._enter_nested

        def enter() -> Callable[[], None]:
            state = threads.state
            if state.depth and (leave_nested := enter_nested(state)) is not None:
                return leave_nested
            if state.eventful:  # outside of any call: no part of this one
                state.quieten()
            if self.ignoring:
                state.ignore()
                return self._leave_ignored
            state.depth = 1
            state.region = region
            state.index = next(numbers)
            state.stance = stance()
            state.error_before = error = error_in_flight()
            state.trace_before = error.__traceback__ if error is not None else None
            state.launched = []
            state.launched_inside = 0
            if region.target is None:
                region.target = self._target()
            state.started = perf_counter()
            return leave

        return enter

    def _leave_hook(self, region: Region) -> Callable[[], None]:
        threads = self._threads
        # One value, so that threads that leave the same region never see half of it.
        usual: tuple[list[int], int] = ([], -1)

        def leave() -> None:
            nonlocal usual
            now = perf_counter()
            state = threads.state
            state.depth = 0
            error = error_in_flight()
            # One that was in flight before may be raised again: then its traceback has grown.
            raised = error is not state.error_before or (
                error is not None and error.__traceback__ is not state.trace_before
            )
            if state.eventful or raised or not state.launched or state.stance != "default":
                self._close(state, now, error if raised else None)
                return
            state.error_before = state.trace_before = None
            launched, pattern = usual
            if state.launched != launched:
                launched = list(state.launched)
                pattern = self._pattern(region, launched)
                usual = launched, pattern
            indexes, seconds, hits = state.log
            indexes.append(state.index)
            seconds.append(now - state.started)
            hits.append(pattern)

        return leave

    def _target(self) -> RegionTarget:
        try:
            return region_target(self._torch.entered_callable())
        except Exception:  # noqa: BLE001 - objects of anybody are looked at
            return RegionTarget("", None)

    def _pattern(self, region: Region, launched: list[int]) -> int:
        """The number of this sequence of graphs in this region, the same for all threads."""
        pattern = (region, tuple(launched))
        known = self._patterns.get(pattern)
        if known is None:
            known = self._patterns.setdefault(pattern, next(self._pattern_numbers))
        return known

    def _enter_nested(self, state: ThreadState) -> Callable[[], None] | None:
        """Begin an entry inside a call; None where the call it seems to be in is long over.

        torch can end an entry without running its leave hook (full-graph mode that compiled
        nothing); the stack shows that the entry is no longer there.
        """
        if self.ignoring:
            state.depth += 1
            return self._leave_ignored
        state.depth = self._torch.open_entries()
        if state.depth > 1:
            return NestedEntry(state, self._torch.stance()).leave
        self._close(state, perf_counter(), unseen_error())
        return None

    def _leave_ignored(self) -> None:
        self._threads.state.depth -= 1

    def guards_missed(self) -> None:
        """A frame with cache entries was entered and none of them held."""
        state = self._threads.state
        state.eventful = True
        state.missed += 1

    def conversion(self, frame: FrameFacts) -> ConversionRecorder:
        """Dynamo is about to look at a frame."""
        state = self._threads.state
        state.eventful = True
        in_call = state.depth > 0
        if frame.has_entries and state.answered < state.missed:
            state.answered += 1
        record = Conversion(
            code=frame.code,
            call=state.index if in_call else None,
            region=state.region if in_call else None,
            had_entries=frame.has_entries,
            resets=frame.resets,
            variant_of=frame.variant_of,
        )
        sink = ConversionRecorder(record, frame, self._converted, self._new_graph, self.trouble)
        if not state.stack:
            state.compile_started = perf_counter()
        state.stack.append(sink)
        return sink

    def current(self) -> ConversionRecorder | None:
        """The innermost conversion under way in this thread."""
        stack = self._threads.state.stack
        return stack[-1] if stack else None

    def compiling_variant(self) -> ConversionRecorder | None:
        """The graph that this thread runs is about to be compiled once more, without a frame."""
        launched = self._threads.state.launched
        origin = self.compiled.graphs.get(launched[-1]) if launched else None
        return None if origin is None else self.conversion(variant_facts(origin.code, launched[-1]))

    def launch_counter(
        self, graph: Callable[..., Any], origin: GraphOrigin | None = None
    ) -> Callable[..., Any]:
        """Wrap the callable of the graph that this thread compiled last, or one from before."""
        threads = self._threads
        latest = threads.state.last_graph
        threads.state.last_graph = None
        # A graph from before the watch has no conversion here and gets a number of its own.
        number = latest.number if latest is not None else next(self._graph_numbers)
        if origin is not None:
            self.compiled.graphs[number] = origin

        def counted(*args: Any, **kwargs: Any) -> Any:
            __tracebackhide__ = True  # an error in the graph is no matter of ours
            threads.state.launched.append(number)
            return graph(*args, **kwargs)

        counted.__wrapped_graph__ = graph  # type: ignore[attr-defined]
        return counted

    def runs_no_graph(self, origin: GraphOrigin) -> None:
        """Code from before the watch was compiled to this, without a graph."""
        self.compiled.graphless.append(origin)

    def backward_compiled(self, seconds: float) -> None:
        """AOTAutograd had a backward compiled."""
        state = self._threads.in_call()
        if state is not None:
            state.backward_compiled(seconds)
        self.backwards.append(0.0 if state is not None else seconds)

    def backward_captured_anew(self, number: int, change: Change) -> None:
        """Compiled autograd captured a backward again: what it compiles next is a rebuild."""
        self._threads.state.recaptured = number, change

    def recorded_again(self, reason: str) -> None:
        """A CUDA graph was recorded once more."""
        self.rerecords.append(reason)

    def trouble(self, where: str, error: BaseException | None = None) -> None:
        """Something could not be watched: say so once."""
        sentence = f"{where} ({told(error)})" if error is not None else where
        if sentence not in self.troubles:
            self.troubles.append(sentence)

    # What the one who watches calls.

    @contextmanager
    def ignored(self) -> Iterator[None]:
        """Entries into regions that begin in the block, in any thread, are no calls."""
        state = self._threads.state
        self.ignoring = True
        state.ignore()
        try:
            yield
        finally:
            self.ignoring, state.depth = False, 0
            state.quieten()

    def settle(self, error: BaseException | None) -> None:
        """End this thread's call if torch left it open, with the error that ended it."""
        state = self._threads.state
        if state.depth:
            caught = None if self._torch.open_entries() else unseen_error()
            self._close(state, perf_counter(), error or caught)

    def close(self) -> None:
        """The watch is over: a call that another thread is still in cannot be told of."""
        if any(state.depth or state.stack for state in self._states):
            self.trouble(
                "a thread was still in a call when the watch ended: join the thread before that"
            )

    @property
    def calls_made(self) -> int:
        """How many calls have begun so far, in all threads: the number of the next one."""
        return int(repr(self._numbers).strip("count()"))  # which takes none

    def skipped_call(self, seconds: float, error: BaseException | None) -> None:
        """Note a call that never reached torch: compilation is switched off for the process."""
        state = self._threads.state
        state.begin_skipped(next(self._numbers))
        self._close(state, seconds, error)

    def calls(self) -> list[Call]:
        """All calls that have ended, by index."""
        # Other threads go on meanwhile: one may be between its appends, so this zip is not strict,
        # and patterns are read after the hits that refer to them.
        logs = [state.log for state in self._states]
        hits = [hit for log in logs for hit in zip(*log, strict=False)]
        patterns = {number: pattern for pattern, number in list(self._patterns.items())}
        ended = self._eventful_calls()
        for index, seconds, known in hits:
            region, launched = patterns[known]
            ended.append(Call(index=index, region=region, seconds=seconds, launched=launched))
        return sorted(ended, key=lambda call: call.index)

    def records(self) -> Cut:
        """What happened so far."""
        return Cut(
            calls=self.calls(),
            conversions=self.conversions(),
            graphs=self.graphs,
            troubles=self.troubles,
            backwards=self.backwards,
            rerecords=self.rerecords,
            compiled=self.compiled.copy(),
        )

    def cut(self) -> Cut:
        """What happened since the last cut; it begins anew after it, and calls go on counting."""
        records = self.records()
        for state in self._states:
            state.renew()
        self.graphs, self.troubles, self.backwards, self.rerecords = [], [], [], []
        return records

    def conversions(self) -> list[Conversion]:
        """All conversions, in and outside calls; those of one call in order."""
        outside = [record for state in self._states for record in state.outside]
        calls = sorted(self._eventful_calls(), key=lambda call: call.index)
        return outside + [record for call in calls for record in call.conversions]

    def _eventful_calls(self) -> list[Call]:
        return [call for state in self._states for call in state.others]

    def _new_graph(self, ops: int, rebuild: bool) -> Graph:
        backward = self._torch.compiled_backward() is not None
        graph = Graph(next(self._graph_numbers), ops, rebuild, backward)
        self.graphs.append(graph)
        self._threads.state.last_graph = graph
        return graph

    def _converted(self, sink: ConversionRecorder) -> None:
        state = self._threads.state
        if sink in state.stack:
            del state.stack[state.stack.index(sink) :]
        record = sink.record
        if state.recaptured is not None and record.outcome.compiled:
            number, change = state.recaptured
            state.recaptured = None
            if number == self._torch.compiled_backward() and record.reasons is None:
                record.repeats_backward(change)
        if record.outcome.compiled:
            self.compiled.add(record)
        if record.outcome.skip != "skip_file":
            if record.region is not None and record.region.root is None and not state.launched:
                record.region.root = record.code if sink.is_first() else None
            if record.is_root and not state.sizes:
                state.sizes = sink.sizes()
            (state.outside if record.call is None else state.conversions).append(record)
        if not state.stack:
            state.compile_seconds += perf_counter() - state.compile_started

    def _close(self, state: ThreadState, now: float, error: BaseException | None) -> None:
        if error is not None and self._torch.is_control_flow(error):
            error = None
        if left_to_python(state.stance, own_launches(state)):
            state.eager_stances[state.stance] = None
        if state.index != NO_CALL:
            state.others.append(state.call(now, error))
        state.depth = 0
        state.error_before = state.trace_before = None
        state.quieten()
