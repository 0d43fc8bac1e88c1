"""A torch that is made up, and what drives a recorder as the torch adapter does."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from observe.records import OWNERSHIP, change, code, reasons

from pytest_compilecheck.observe.assembly.assemble import call_kind
from pytest_compilecheck.observe.events import FrameFacts, Outcome, Reason
from pytest_compilecheck.observe.recording.conversion import ConversionRecorder
from pytest_compilecheck.observe.recording.recorder import Recorder
from pytest_compilecheck.observe.values.recompile import Change

ROOT, RESUMED, NESTED = code("forward"), code("torch_dynamo_resume_in_forward_at_12"), code("inner")


class FakeTorch(threading.local):
    """Stance and entries under way of each thread, and compiled regions that tell a recorder."""

    def __init__(self) -> None:
        self.in_force = "default"
        self.entries = 0
        self.backward: int | None = None

    def stance(self) -> str:
        return self.in_force

    def open_entries(self) -> int:
        return self.entries

    def compiled_backward(self) -> int | None:
        return self.backward

    def is_control_flow(self, error: BaseException) -> bool:
        return isinstance(error, StopIteration)


class FakeGuards:
    """Explains a rebuild by the guards that failed, one change for each."""

    def __init__(self) -> None:
        self.told: tuple[Change, ...] = ()

    def name(self, source: str) -> str:
        return re.sub(r"L\['(\w+)'\]", r"\1", source)

    def explain(self, reasons: Sequence[Reason]) -> None:
        self.told = tuple(change(source=reason.text) for reason in reasons)

    def changes(self) -> tuple[Change, ...]:
        return self.told


class Driver:
    """A recorder with one region, and what torch would do to it."""

    def __init__(self) -> None:
        self.torch = FakeTorch()
        self.recorder = Recorder(self.torch)
        self.entry = self.recorder.region_entry(created_before=False)

    @contextmanager
    def call(self, entry: Callable[[], Callable[[], None]] | None = None) -> Iterator[None]:
        """An entry into the region, left as torch leaves it: in a `finally`."""
        self.torch.entries += 1
        try:
            leave = (entry or self.entry)()
            try:
                yield
            finally:
                leave()
        finally:
            self.torch.entries -= 1

    def abandoned_call(self) -> None:
        """An entry whose leave hook torch does not run (full-graph mode that compiled nothing)."""
        self.torch.entries += 1
        self.entry()
        self.torch.entries -= 1

    @contextmanager
    def conversion(
        self, of: Any = ROOT, *, entries: bool = False, outcome: Outcome | None = None, **facts: Any
    ) -> Iterator[ConversionRecorder]:
        """Dynamo looks at a frame."""
        given_facts = {
            "is_first": lambda: True,
            "sizes": dict,
            "reaches_tensor": lambda: False,
            "guards": FakeGuards(),
            **facts,
        }
        sink = self.recorder.conversion(FrameFacts(code=of, has_entries=entries, **given_facts))
        yield sink
        sink.ended(outcome if outcome is not None else Outcome(compiled=True))

    def compiles(self, of: Any = ROOT, *, ops: int = 1, rebuild: bool = False) -> Callable[[], Any]:
        """A frame is compiled to one graph; gives what launches the graph."""
        if rebuild:
            self.recorder.guards_missed()
        with self.conversion(of, entries=rebuild) as sink:
            if rebuild:
                sink.recompiling(reasons("n == 1"))
            sink.graph_compiled(ops, ())
            return self.recorder.launch_counter(lambda: "result")

    def kinds(self) -> list[str]:
        return [call_kind(call, OWNERSHIP) for call in self.recorder.calls()]
