"""What torch did while it was watched: plain values, without torch or pytest.

An `Observation` holds facts and no opinion. The names are those of the JSON report, so
`codec.encode(observation)` is the "observed" object of the published schema.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from pytest_compilecheck import codec

Owner = Literal["own", "third_party", "torch"]
CallKind = Literal["error", "recompile", "compile", "fallback", "hit"]
FallbackKind = Literal[
    "disabled", "recompile_limit", "suppressed_error", "skipped_frame", "nothing_compiled"
]
AttemptOutcome = Literal[
    "limit", "nothing_to_compile", "graph_break", "user_exception", "backend_error", "skipped"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One place in Python source; `file` is relative to the root where it lies under it."""

    file: str
    line: int
    function: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakSite:
    """One place that breaks: (file, line, column where known, root reason).

    `column` and `end_column` are 1-based, in characters, the end exclusive; None where Python
    has none. `events` counts torch's records of it, `event_calls` the calls they came in.
    `executions_per_warm_call` is how often the break runs in a call that compiles nothing: None
    where no such call was made or where it cannot be known. `skips_function` tells that torch
    gave up the whole function, or the rest of it, because of this break.
    """

    file: str
    line: int
    column: int | None
    end_column: int | None
    code: str
    function: str
    reason: str
    explanation: str
    hints: tuple[str, ...]
    gb_id: str | None
    gb_ids: tuple[str, ...]
    docs: str | None
    owner: Owner
    events: int
    event_calls: tuple[int, ...]
    executions_per_warm_call: float | None
    skips_function: bool
    own_frame: Frame | None
    chain: tuple[Frame, ...]
    torch_frame: Frame | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecompileEvent:
    """One code object compiled again because no cache entry's guards held.

    `code_object` numbers the code objects of a watch: two functions of one name differ in it.
    `guard` is torch's own text, of the entry that served last; `guards` are all of them.
    """

    call: int
    code_object: int
    function: str
    file: str
    line: int
    guard: str
    guards: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecompileAttempt:
    """A rebuild that torch logs and that made no graph; it is not a recompile."""

    call: int
    function: str
    file: str
    line: int
    guard: str
    outcome: AttemptOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Fallback:
    """Work that had or should have had a graph and ran eagerly, without an error.

    `calls` are the calls in which it is known to have run eagerly. `function` is None where
    torch does not tell which one (a stance switches off all of them).
    """

    kind: FallbackKind
    calls: tuple[int, ...]
    function: str | None
    file: str | None
    line: int | None
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineEntry:
    """One call. `sizes` maps tensor arguments to their sizes, where they are known.

    `seconds` is wall time of the call, `compile_seconds` the part spent in Dynamo and backends.
    `weight` is how often the call stands for itself in the trace (its `count`).
    `step` and `pass_` are None outside a contract. `error` is "Type: message" of what it raised,
    `failed_to_compile` whether that came from the compiler or a backend, and was no graph break.
    """

    call: int
    step: int | None
    pass_: int | None
    kind: CallKind
    sizes: dict[str, tuple[int, ...]]
    seconds: float
    compile_seconds: float
    graph_launches: int
    region: str
    weight: int = 1
    error: str | None = None
    failed_to_compile: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """All that one watch saw.

    `graphs` counts graphs that a backend returned, `captured_ops` the operations in those that
    were no rebuilds. `smallest_graph_ops` is the size of the smallest of these. `problems` are
    sentences about what could not be watched: while there is one, no figure is certain.
    `uncalled` names what a contract compiled and nothing called, `idle_steps` the steps of its
    trace that called nothing compiled.
    """

    graphs: int
    captured_ops: int
    smallest_graph_ops: int | None
    break_sites: tuple[BreakSite, ...]
    recompiles: int
    recompile_events: tuple[RecompileEvent, ...]
    recompile_attempts: tuple[RecompileAttempt, ...]
    fallbacks: tuple[Fallback, ...]
    timeline: tuple[TimelineEntry, ...]
    problems: tuple[str, ...] = ()
    uncalled: tuple[str, ...] = ()
    idle_steps: tuple[int, ...] = ()

    @property
    def compile_seconds(self) -> float:
        """Seconds spent compiling, over all calls."""
        return sum(entry.compile_seconds for entry in self.timeline)

    @property
    def hit_rate(self) -> float | None:
        """Share of calls that are hits, by weight, 0 to 1; None when no call was made."""
        total = sum(entry.weight for entry in self.timeline)
        hits = sum(entry.weight for entry in self.timeline if entry.kind == "hit")
        return hits / total if total else None

    @property
    def warm_calls(self) -> tuple[TimelineEntry, ...]:
        """Calls that compiled nothing and did not raise."""
        return tuple(entry for entry in self.timeline if entry.kind in ("hit", "fallback"))

    def to_dict(self) -> dict[str, Any]:
        """The "observed" object of the JSON report."""
        data: dict[str, Any] = codec.encode(self)
        # Fragile guards are not looked for yet: null says unknown, an empty list would say none.
        data["fragile_guards"] = None
        return data

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Observation:
        """Inverse of `to_dict`."""
        return codec.decode(cls, data)


def count_recompiles(events: Iterable[RecompileEvent]) -> int:
    """Rebuilds as a person counts them.

    In each call the number of times that its most-rebuilt code object was rebuilt, summed over
    the calls: a new length in a function split in four pieces is four events and one recompile.
    """
    rebuilt = Counter((event.call, event.code_object) for event in events)
    most: dict[int, int] = {}
    for (call, _), times in rebuilt.items():
        most[call] = max(most.get(call, 0), times)
    return sum(most.values())
