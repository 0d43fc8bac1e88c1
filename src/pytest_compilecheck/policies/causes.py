"""What made a call of a replay slow, and what took memory for good: from its events alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pytest_compilecheck.policies.measured import MemoryStep, ReplayCall, Warm


def explained(calls: Iterable[ReplayCall], *, warm: Sequence[Warm]) -> tuple[ReplayCall, ...]:
    """The calls, each slow one with its mechanism."""
    return tuple(calls)


def memory_steps(calls: Sequence[ReplayCall]) -> tuple[MemoryStep, ...]:
    """What calls took and was still held when the replay ended."""
    return ()
