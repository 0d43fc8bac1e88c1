"""What a thread's calls into compiled regions leave behind, while a watch is open."""

from __future__ import annotations

import threading
from array import array
from types import TracebackType
from typing import Final

from pytest_compilecheck.observe.errors import told
from pytest_compilecheck.observe.recording.conversion import (
    Call,
    Conversion,
    ConversionRecorder,
    Graph,
    Region,
)
from pytest_compilecheck.observe.values.recompile import Change

NO_CALL: Final = -1
"""The number of what is ignored."""


class ThreadState:
    """Calls of one thread: the one under way, and those that ended."""

    __slots__ = (
        "answered",
        "backwards",
        "compile_seconds",
        "compile_started",
        "conversions",
        "depth",
        "eager_stances",
        "error_before",
        "eventful",
        "index",
        "last_graph",
        "launched",
        "launched_inside",
        "log",
        "missed",
        "others",
        "outside",
        "recaptured",
        "region",
        "sizes",
        "stack",
        "stance",
        "started",
        "trace_before",
    )

    def __init__(self) -> None:
        self.depth = 0
        self.index = NO_CALL
        self.started = 0.0
        self.region: Region | None = None
        self.stance = "default"
        self.error_before: BaseException | None = None
        self.trace_before: TracebackType | None = None
        self.launched: list[int] = []
        self.launched_inside = 0  # how many of them by regions that were entered in the call
        self.stack: list[ConversionRecorder] = []
        self.last_graph: Graph | None = None
        self.recaptured: tuple[int, Change] | None = None  # a backward, and what changed
        self.renew()
        self.quieten()

    def renew(self) -> None:
        """Forget the calls that have ended."""
        # Ordinary hits, which are nearly all calls: index, seconds, number of (region, graphs run).
        # One value, so that a thread that notes a hit meanwhile has all three of a kind.
        self.log = (array("q"), array("d"), array("l"))
        self.others: list[Call] = []
        self.outside: list[Conversion] = []

    def quieten(self) -> None:
        """Forget what made the last call no ordinary hit."""
        self.eventful = False
        self.missed = 0
        self.answered = 0
        self.eager_stances: dict[str, None] = {}  # those under which regions in it ran eagerly
        self.backwards = 0
        self.conversions: list[Conversion] = []
        self.compile_seconds = 0.0
        self.compile_started = 0.0
        self.sizes: dict[str, tuple[int, ...]] = {}

    def ignore(self) -> None:
        """An entry begins that is no call: what happens in it goes with it."""
        self.depth = 1
        self.index = NO_CALL
        self.region = None

    def begin_skipped(self, index: int) -> None:
        """A call begins that never reaches torch; it lasts from 0."""
        self.quieten()
        self.index = index
        self.region = Region(-1, created_before=False)
        self.launched = []
        self.stance = "disabled"
        self.started = 0.0

    @property
    def unanswered(self) -> int:
        """Cache misses after which nothing was compiled."""
        return self.missed - self.answered

    def backward_compiled(self, seconds: float) -> None:
        """AOTAutograd had a backward compiled in the call under way."""
        self.eventful = True
        self.backwards += 1
        if not self.stack:  # else these are part of a conversion's
            self.compile_seconds += seconds

    def call(self, now: float, error: BaseException | None) -> Call:
        """The call under way as what it is when it ends now."""
        assert self.region is not None
        return Call(
            index=self.index,
            region=self.region,
            stance=self.stance,
            seconds=now - self.started,
            compile_seconds=self.compile_seconds,
            launched=tuple(self.launched),
            unanswered=self.unanswered,
            eager_stances=tuple(self.eager_stances),
            backwards=self.backwards,
            conversions=tuple(self.conversions),
            sizes=self.sizes,
            error=told(error) if error is not None else None,
        )


class Threads(threading.local):
    """The calling thread's state, made when the thread is first seen."""

    def __init__(self, all_states: list[ThreadState]) -> None:
        self.state = ThreadState()
        self._all = all_states
        all_states.append(self.state)

    def in_call(self) -> ThreadState | None:
        """The thread in whose call this one works: itself, or the one that waits for it.

        Autograd runs the backward of what lies on a GPU in threads of its own.
        """
        if self.state.depth:
            return self.state
        calling = [state for state in list(self._all) if state.depth]
        return calling[0] if len(calling) == 1 and _is_foreign() else None


def _is_foreign() -> bool:
    """Whether Python did not start this thread."""
    return isinstance(threading.current_thread(), threading._DummyThread)
