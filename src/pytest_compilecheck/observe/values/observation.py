"""What torch did while it was watched: plain values, without torch or pytest.

An `Observation` holds facts and no opinion. The names are those of the JSON report, so
`codec.encode(observation)` is the "observed" object of the published schema.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from pytest_compilecheck import codec
from pytest_compilecheck.observe.values.doubt import Doubt, Figure, why_unknown
from pytest_compilecheck.observe.values.place import Frame
from pytest_compilecheck.observe.values.recompile import (
    AssumedSizes,
    FixedSize,
    FragileGuard,
    RecompileAttempt,
    RecompileEvent,
)

Owner = Literal["own", "third_party", "torch"]
KernelKind = Literal["generated", "extern", "fallback"]
CallKind = Literal["error", "recompile", "compile", "fallback", "hit", "unknown"]
FallbackKind = Literal[
    "disabled", "recompile_limit", "suppressed_error", "skipped_frame", "nothing_compiled"
]


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
    A doubt about the process makes `kind` "unknown" and `graph_launches` None.
    `kernels` counts those that Inductor's code launched in the call, None where that is not known
    (another backend, code that cannot be read).
    `weight` is how often the call counts in the hit rate: the `count` of its step in the trace.
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
    graph_launches: int | None
    region: str
    kernels: int | None = None
    weight: int = 1
    error: str | None = None
    failed_to_compile: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class OpaqueOp:
    """An operator that is not torch's own: a compiler calls it and cannot see into it.

    `calls` counts those in graphs that are no rebuilds, from one line; where only rebuilds have
    the operator in that line, it is the most that one of them has. The place is None where torch
    does not tell it. `faults` is what `torch.library.opcheck` found or could not find out, () for
    nothing, None where it was not asked.
    """

    name: str
    calls: int
    file: str | None
    line: int | None
    function: str | None
    code: str
    faults: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelUse:
    """A kernel that Inductor's code launches: one it generated, or one of somebody else.

    An "extern" kernel is a library's (BLAS), a "fallback" an operator that is called as it is.
    `launches` counts those of one run of each graph that is no rebuild; for one that is not
    generated and that only rebuilds have, it is the most of one of them.
    """

    name: str
    kind: KernelKind
    launches: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Mismatch:
    """A step in which the compiled run gave something else than the eager one.

    `difference` says where and how much; `compared` is False where no comparison could be made,
    and it says why.
    """

    step: int
    pass_: int
    difference: str
    compared: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """All that one watch saw.

    `graphs` counts graphs that a backend returned, `captured_ops` the operations in those that
    were no rebuilds (neither by a recompile, nor after a reset, nor of a graph as it ran) and in
    their bodies (of a checkpoint, a branch). `smallest_graph_ops` is the size of the smallest of
    these. `problems` are sentences about what could not be watched: while there is one, no figure
    is certain.
    `doubts` tell of figures that are unknown in the whole process: they are None or () here, or
    there may be more of them than is here.
    `uncalled` names what a contract compiled and nothing called, `idle_steps` the steps of its
    trace that called nothing compiled. `remade_inputs` are inputs of the trace in whose place a
    plugin gave something that is no tensor of their sizes. `fragile_guards` are None where they are
    not known.
    `mismatches` has one entry for each step that differs from its eager run. `backward_graphs`
    counts those that a backend compiled for the backward, by AOTAutograd or compiled autograd, or
    that came compiled from a cache; `graphs` has none of them. `backward_seconds` went into those
    that AOTAutograd compiled when the backward first ran, outside all calls. `memory_growth` is by
    how many bytes the process's resident memory grew over a trace, None where it was not asked for
    or is not known. `kernels` are those of Inductor's graphs, () where no graph is Inductor's, None
    where its code cannot be read. `cudagraph_skips` are torch's reasons for running a graph without
    CUDA graphs though they were asked for, one for each such graph, `cudagraph_rerecords` those for
    recording one again.
    `warm_graphs` counts graphs that ran and were compiled before the watch, `earlier_codes` code
    objects that were compiled anew because none of theirs from before held; `earlier_breaks` are
    places at which their code breaks, for reasons that torch gave then.
    """

    graphs: int | None
    captured_ops: int | None
    smallest_graph_ops: int | None
    break_sites: tuple[BreakSite, ...]
    recompiles: int | None
    recompile_events: tuple[RecompileEvent, ...]
    recompile_attempts: tuple[RecompileAttempt, ...]
    fallbacks: tuple[Fallback, ...]
    timeline: tuple[TimelineEntry, ...]
    fragile_guards: tuple[FragileGuard, ...] | None = None
    assumed_sizes: tuple[AssumedSizes, ...] = ()
    fixed_sizes: tuple[FixedSize, ...] = ()
    opaque_ops: tuple[OpaqueOp, ...] = ()
    mismatches: tuple[Mismatch, ...] = ()
    backward_graphs: int = 0
    backward_seconds: float = 0.0
    memory_growth: int | None = None
    kernels: tuple[KernelUse, ...] | None = ()
    cudagraph_skips: tuple[str, ...] = ()
    cudagraph_rerecords: tuple[str, ...] = ()
    warm_graphs: int = 0
    earlier_codes: int = 0
    earlier_breaks: tuple[Frame, ...] = ()
    problems: tuple[str, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    uncalled: tuple[str, ...] = ()
    idle_steps: tuple[int, ...] = ()
    remade_inputs: tuple[str, ...] = ()

    @property
    def compile_seconds(self) -> float | None:
        """Seconds spent compiling, in all calls and for the backward; None where not known."""
        if self.why_unknown("compile_seconds"):
            return None
        return sum(entry.compile_seconds for entry in self.timeline) + self.backward_seconds

    @property
    def began_warm(self) -> bool:
        """Whether graphs from before ran or were rebuilt: what they hold was not watched."""
        return bool(self.warm_graphs or self.earlier_codes)

    @property
    def hit_rate(self) -> float | None:
        """Share of calls that are hits, 0 to 1, each counted `weight` times; None if not known."""
        if self.why_unknown("hit_rate"):
            return None
        total = sum(entry.weight for entry in self.timeline)
        hits = sum(entry.weight for entry in self.timeline if entry.kind == "hit")
        return hits / total if total else None

    @property
    def library_kernels(self) -> tuple[KernelUse, ...] | None:
        """Kernels that Inductor did not generate; custom operators are in `opaque_ops` already."""
        custom = {op.name for op in self.opaque_ops}  # with its overload or without
        if self.kernels is None:
            return None
        return tuple(
            each
            for each in self.kernels
            if each.kind != "generated"
            and custom.isdisjoint((each.name, each.name.rpartition(".")[0]))
        )

    @property
    def launches_per_warm_call(self) -> int | None:
        """The most graphs that one warm call launched; None where no call was warm."""
        launches = [entry.graph_launches for entry in self.warm_calls]
        known = [count for count in launches if count is not None]
        return max(known, default=None) if len(known) == len(launches) else None

    @property
    def warm_calls(self) -> tuple[TimelineEntry, ...]:
        """Calls that compiled nothing and did not raise."""
        return tuple(entry for entry in self.timeline if entry.kind in ("hit", "fallback"))

    @property
    def known_breaks(self) -> int | None:
        """How many break sites there are; None where not all are known."""
        return None if self.why_unknown("graph_breaks") else len(self.break_sites)

    @property
    def known_fallbacks(self) -> int | None:
        """How many fallbacks there are; None where not all are known."""
        return None if self.why_unknown("fallbacks") else len(self.fallbacks)

    def why_unknown(self, figure: Figure) -> str:
        """Why a figure is unknown in the whole process; "" where nothing makes it so."""
        return why_unknown(self.doubts, figure)

    def to_dict(self) -> dict[str, Any]:
        """The "observed" object of the JSON report."""
        data: dict[str, Any] = codec.encode(self)
        return data

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Observation:
        """Inverse of `to_dict`."""
        return codec.decode(cls, data)
