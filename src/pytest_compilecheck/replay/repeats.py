"""Warm latency: each step again and again, in turn, until its median is known."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Final

from pytest_compilecheck.contract.trace.model import Step
from pytest_compilecheck.observe.values.observation import Observation
from pytest_compilecheck.policies.measured import Warm
from pytest_compilecheck.replay.runner import Runner, StepRun, Told

LEAST: Final = 7
"""Each step is run at least so often."""

MOST: Final = 200
"""And at most so often."""

KNOWN: Final = 0.05
"""A median is known if half the width of its 95 % interval is below this share of it."""

_NOTCH: Final = 1.57  # of the distance of the quartiles (McGill, Tukey and Larsen 1978)


@dataclass(slots=True)
class Repeats:
    """The warm runs of all steps.

    `unclean` is what was seen of runs that compiled something or ran eagerly, `last` the last run
    of each step.
    """

    seconds: dict[int, list[float]] = field(default_factory=dict)
    unclean: list[Observation] = field(default_factory=list)
    last: dict[int, StepRun] = field(default_factory=dict)

    def warm(self, steps: Sequence[Step]) -> tuple[Warm, ...]:
        """The latency of each step."""
        return tuple(latency(step, self.seconds[step.index]) for step in steps)


def repeat(runner: Runner, steps: Sequence[Step], budget: float, told: Told) -> Repeats:
    """Run each step at least `LEAST` times, and on for `budget` seconds at most.

    Runs in which something was compiled do not count, as long as there are others.
    """
    found = Repeats({step.index: [] for step in steps})
    cold: dict[int, list[float]] = {step.index: [] for step in steps}
    started = perf_counter()
    for round_ in range(MOST):
        told("repeats", min(round_, LEAST), LEAST)
        for step in steps:
            run = runner.run(step, 1 + round_)
            counted = cold if run.compiled_something else found.seconds
            counted[step.index].append(run.seconds)
            if any(call.kind != "hit" for call in run.calls):
                found.unclean.append(run.seen)
            found.last[step.index] = run.let_go()
        late = perf_counter() - started > budget
        if round_ + 1 >= LEAST and (late or all(map(is_known, found.seconds.values()))):
            break
    for index, seconds in found.seconds.items():
        found.seconds[index] = seconds or cold[index]
    return found


def latency(step: Step, seconds: Sequence[float]) -> Warm:
    """Median and quartiles of the runs of a step."""
    low, median, high = quartiles(seconds)
    return Warm(
        step=step.index,
        count=step.weight,
        sizes=step.sizes(),
        seconds=tuple(seconds),
        median=median,
        low=low,
        high=high,
        stable=is_known(seconds),
    )


def is_known(seconds: Sequence[float]) -> bool:
    """Whether there are enough runs for their median to be known."""
    if len(seconds) < LEAST:
        return False
    low, median, high = quartiles(seconds)
    return _NOTCH * (high - low) / math.sqrt(len(seconds)) <= KNOWN * median


def quartiles(seconds: Sequence[float]) -> tuple[float, float, float]:
    """Lower quartile, median, upper quartile."""
    if len(seconds) == 1:
        return (seconds[0],) * 3
    low, median, high = statistics.quantiles(seconds, n=4, method="inclusive")
    return low, median, high
