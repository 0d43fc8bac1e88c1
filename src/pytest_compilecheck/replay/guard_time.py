"""What a warm call spends on guards."""

from __future__ import annotations

import statistics
import warnings
from collections.abc import Sequence
from typing import Final

from torch.profiler import ProfilerActivity, profile

from pytest_compilecheck.contract.trace.model import Step
from pytest_compilecheck.replay.runner import Runner

_LOOKUP: Final = "TorchDynamo Cache Lookup"
"""torch's profiler knows the search for a cached graph by this name (`eval_frame.c`, 2.8-2.15)."""

_ROUNDS: Final = 5


def guard_seconds(runner: Runner, steps: Sequence[Step]) -> float | None:
    """Seconds that one warm call spends on guards, of all cached graphs that it tries.

    By the counts of the trace; None where torch's profiler does not tell, or nothing is warm.
    """
    total = calls = 0.0
    for step in steps:
        seconds, entries = _of_step(runner, step)
        if seconds is None or not entries:
            return None
        total += step.weight * seconds
        calls += step.weight * entries
    return total / calls if calls else None


def _of_step(runner: Runner, step: Step) -> tuple[float | None, int]:
    """Seconds on guards, and calls; None where a run was no hit."""
    entries = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the profiler tells of itself
        with profile(activities=[ProfilerActivity.CPU]) as profiled:
            for _ in range(_ROUNDS):
                run = runner.run(step, 1)
                entries += len(run.calls)
                if any(call.kind != "hit" for call in run.calls):
                    return None, entries
    found = [each.cpu_time_total * 1e-6 for each in profiled.events() if each.name == _LOOKUP]
    # A median, because a process that waits for a core does so in the middle of a lookup too.
    return (statistics.median(found) * len(found) if found else None), entries
