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
        self.conversions: list[Conversion] = []
        self.compile_seconds = 0.0
        self.compile_started = 0.0
        self.sizes: dict[str, tuple[int, ...]] = {}

    def ignore(self) -> None:
        """An entry begins that is no call: what happens in it goes with it."""
        self.depth = 1
        self.index = NO_CALL
        self.region = None

    @property
    def unanswered(self) -> int:
        """Cache misses after which nothing was compiled."""
        return self.missed - self.answered

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
            conversions=tuple(self.conversions),
            sizes=self.sizes,
            error=told(error) if error is not None else None,
        )


class Threads(threading.local):
    """The calling thread's state, made when the thread is first seen."""

    def __init__(self, all_states: list[ThreadState]) -> None:
        self.state = ThreadState()
        all_states.append(self.state)
