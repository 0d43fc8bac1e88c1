"""What made a call of a replay slow, and what took memory for good: from its events alone."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from pytest_compilecheck.policies.measured import Mechanism, MemoryStep, ReplayCall, Warm

TIMES: Final = 2.0
"""A slow call takes more than so many warm medians of its step."""

SECONDS: Final = 0.005
"""A slow call takes longer than the warm median of its step by more than this."""

QUARTILES: Final = 3.0
"""A slow call lies above the upper quartile by more than so many distances of the quartiles."""

EXPLAINED: Final = 0.5
"""A mechanism explains a slow call if it took this share of what the call took more."""

LASTING: Final = 2**20
"""Bytes below which growth of memory is taken for noise of pages and arenas."""

_COMPILED: Final[dict[str, Mechanism]] = {"compile": "first_compile", "recompile": "rebuild"}


def explained(calls: Iterable[ReplayCall], *, warm: Sequence[Warm]) -> tuple[ReplayCall, ...]:
    """The calls, each slow one with its mechanism; of a step without warm runs nothing is said.

    A call of a rebuild keeps its `detail`, which its maker took from torch's events.
    """
    usual = {each.step: each for each in warm}
    return tuple(_explained(call, usual.get(call.step)) for call in calls)


def is_slow(call: ReplayCall, warm: Warm) -> bool:
    """Whether a call took much longer than its whole step does when it is warm."""
    limits = (
        TIMES * warm.median,
        warm.median + SECONDS,
        warm.high + QUARTILES * (warm.high - warm.low),
    )
    return call.seconds > max(limits)


def _explained(call: ReplayCall, warm: Warm | None) -> ReplayCall:
    if warm is None or not is_slow(call, warm):
        return replace(call, mechanism=None)
    excess = call.seconds - warm.median
    spent = {
        "compiling": call.compile_seconds,
        "collecting garbage": call.gc_seconds,
        "autotuning": call.autotune_seconds,
    }
    what, most = max(spent.items(), key=lambda item: item[1])
    mechanism = _mechanism(call, what) if most >= EXPLAINED * excess else None
    if mechanism in ("garbage", "autotune"):
        return replace(call, mechanism=mechanism, detail=f"{_ms(most)} of {_ms(excess)}")
    if mechanism or call.evictions:
        return replace(call, mechanism=mechanism or "eviction")
    told = f"{what} took {_ms(most)} of it" if most else "nothing was seen that takes time"
    return replace(
        call, mechanism="unexplained", detail=f"{_ms(excess)} more than when warm; {told}"
    )


def _mechanism(call: ReplayCall, what: str) -> Mechanism | None:
    """The mechanism of a call that most of its time was spent in; None where no event names it."""
    if what == "collecting garbage":
        return "garbage"
    if what == "autotuning":
        return "autotune"
    return "eviction" if call.evictions else _COMPILED.get(call.kind)


def memory_steps(calls: Sequence[ReplayCall]) -> tuple[MemoryStep, ...]:
    """What calls took and was still held when the replay ended, in the order of calls.

    What grew between two calls belongs to none of them. A call before which the memory is not known
    is taken to begin where the one before it ended; of the first one nothing is said then.
    """
    lasting: dict[int, int] = {}
    held = math.inf
    # From the end: what is held for good is the least that is held from there on.
    for before, after, call in reversed(list(_points(calls))):
        kept = min(after, held)
        held = min(before, kept)
        lasting[call.call] = int(kept - held)
    met: dict[tuple[object, ...], int] = {}
    steps = []
    for call in calls:
        # Several calls of one step have its sizes, and meet them together.
        is_new = met.setdefault(tuple(call.sizes.items()), call.step) == call.step
        if lasting.get(call.call, 0) >= LASTING:
            steps.append(_memory_step(call, lasting[call.call], is_new=is_new))
    return tuple(steps)


def _points(calls: Sequence[ReplayCall]) -> Iterable[tuple[int, int, ReplayCall]]:
    """Bytes before and after each call of which both are known."""
    last: int | None = None
    for call in calls:
        before = last if call.memory_before is None else call.memory_before
        if before is not None and call.memory is not None:
            yield before, call.memory, call
        last = call.memory


def _memory_step(call: ReplayCall, size: int, *, is_new: bool) -> MemoryStep:
    mechanism: Mechanism = "allocator" if is_new and call.sizes else "unexplained"
    if call.autotune_seconds:
        mechanism = "autotune"
    mechanism = _COMPILED.get(call.kind, mechanism)
    detail = call.detail if mechanism == "rebuild" else ""
    return MemoryStep(call=call.call, bytes=size, mechanism=mechanism, detail=detail)


def _ms(seconds: float) -> str:
    return f"{1000 * seconds:.3g} ms"
