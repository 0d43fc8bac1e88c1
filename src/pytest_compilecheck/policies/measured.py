"""What was measured of a contract's trace under each shape policy: plain values.

A policy is replayed in a process of its own: first the trace once, in order, from an empty compile
cache (its `calls`), then each step again and again while everything is compiled (its `warm`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from pytest_compilecheck import codec
from pytest_compilecheck.observe.values.observation import CallKind

Mechanism = Literal[
    "first_compile",  # a graph compiled for the first time
    "rebuild",  # no cached graph's guards held; `detail` names what had changed
    "autotune",  # Inductor tried kernels, or generated code, outside of a compile that was seen
    "eviction",  # a cache was emptied, or torch's limit was reached
    "garbage",  # Python's garbage collector ran, or freed what had been kept
    "allocator",  # first meeting of a size, without a compile: buffers grew
    "unexplained",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayCall:
    """One call of the replay; a step may make several. `sizes` are those of the trace, not padded.

    `seconds` is wall time, of which `compile_seconds` were spent in Dynamo and the backend,
    `backend_seconds` in the backend alone, `gc_seconds` in Python's garbage collector. `memory` is
    what the process holds after it (resident), `device_memory` what torch holds on the device, both
    in bytes and None where they are not known. `mechanism` says what made the call slow, None for a
    call that was not; `detail` names it ("S: 128 -> 129"), and is what torch's events say of a
    rebuild. `guards` counts those that torch made for what was compiled. `memory_before` is what
    the process held when the call began, `autotune_seconds` were spent in trying kernels and making
    code outside of compiles, `evictions` counts cache entries that were dropped and code that ran
    eagerly because torch's limit was reached.
    """

    call: int
    step: int
    kind: CallKind
    sizes: dict[str, tuple[int, ...]]
    seconds: float
    compile_seconds: float = 0.0
    backend_seconds: float = 0.0
    gc_seconds: float = 0.0
    launches: int = 0
    guards: int = 0
    autotune_seconds: float = 0.0
    evictions: int = 0
    memory_before: int | None = None
    memory: int | None = None
    device_memory: int | None = None
    mechanism: Mechanism | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Warm:
    """Latency of one step (all of its calls) when everything is compiled, over `repeats` runs.

    `seconds` are the single runs, `median`, `low` and `high` their median and quartiles. `stable`
    tells that the median is known to a few percent; `count` is how many requests the step stands
    for.
    """

    step: int
    count: int
    sizes: dict[str, tuple[int, ...]]
    seconds: tuple[float, ...]
    median: float
    low: float
    high: float
    stable: bool

    @property
    def repeats(self) -> int:
        """How often the step was run."""
        return len(self.seconds)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryStep:
    """Memory that a call took and that was still held when the replay ended; in bytes."""

    call: int
    bytes: int
    mechanism: Mechanism
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyRun:
    """One policy over the trace.

    `variants` counts compiled versions of the code that was compiled most often. `hit_rate` is the
    share of requests, by the trace's counts, that found everything compiled: of a step the first
    request is that of the first pass, all others are warm. `real_elements` and
    `elements` count the elements of all inputs without and with padding, by the counts: what lies
    between is padded work. `peak_memory` is the most that the process held (bytes),
    `guard_seconds` the time that one warm call spends on guards, None where it is not known.
    `mismatch` says how outputs differ from the unpadded, eager run, "" where they agree; `error`
    why the policy could not be run, "" where it could.
    """

    policy: str
    variants: int = 0
    graph_breaks: int = 0
    recompiles: int = 0
    fallbacks: int = 0
    first_compile_seconds: float = 0.0
    rebuild_seconds: float = 0.0
    hit_rate: float | None = None
    real_elements: int = 0
    elements: int = 0
    launches_per_call: float | None = None
    guard_seconds: float | None = None
    peak_memory: int | None = None
    peak_device_memory: int | None = None
    calls: tuple[ReplayCall, ...] = ()
    warm: tuple[Warm, ...] = ()
    memory_steps: tuple[MemoryStep, ...] = ()
    mismatch: str = ""
    error: str = ""

    def to_dict(self) -> dict[str, Any]:
        """JSON-able form."""
        data: dict[str, Any] = codec.encode(self)
        return data

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> PolicyRun:
        """Inverse of `to_dict`."""
        return codec.decode(cls, data)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What a policy costs at n requests with the trace's mix of sizes: fixed + n * per_request.

    In seconds. `total` is that of the trace itself; `noise` and `request_noise` are how far `total`
    and `per_request` may be off (half the width of a 90 % interval).
    """

    policy: str
    fixed: float
    per_request: float
    total: float
    noise: float
    request_noise: float = 0.0

    def at(self, requests: float) -> float:
        """Seconds for so many requests."""
        return self.fixed + requests * self.per_request


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """The cheapest policy from so many requests on, up to where the next range begins.

    `close` tells that a request costs it and the one before the same within the noise, so that
    nobody can say whether it gets cheaper at all.
    """

    policy: str
    from_requests: float
    close: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Which policy costs the least over the trace.

    `margin` is what the runner-up costs more, as a share of the best (0.2: a fifth more). `close`
    tells that the noise is larger than what another costs more, so that nobody can say.
    """

    preferred: str
    runner_up: str | None
    margin: float | None
    close: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """All policies of a contract over its trace, which stands for so many `requests`."""

    requests: int
    backend: str
    device: str
    runs: tuple[PolicyRun, ...]
    costs: tuple[Cost, ...] = ()
    ranges: tuple[Range, ...] = ()
    choice: Choice | None = None

    def to_dict(self) -> dict[str, Any]:
        """JSON-able form: "policies" of a record in the JSON report."""
        data: dict[str, Any] = codec.encode(self)
        return data

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Comparison:
        """Inverse of `to_dict`."""
        return codec.decode(cls, data)
