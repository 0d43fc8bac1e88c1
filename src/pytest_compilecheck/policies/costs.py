"""What a policy costs over a trace, and how well that is known."""

from __future__ import annotations

import math
import random
import statistics
from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from pytest_compilecheck.policies.measured import Cost, PolicyRun, Warm

ONCE: Final = 0.1
"""What was measured once or twice is known to this share of it: first calls, few repeats."""

FEW: Final = 3
"""Fewer repeats than this tell nothing of how far their median is off."""

RESAMPLES: Final = 400
"""How often the warm runs are drawn again."""

_TAIL: Final = 0.05  # on either side, so that 90 % lie between


def cost_of(run: PolicyRun) -> Cost | None:
    """The cost of a policy; None where a step was not run both cold and warm.

    The first request of a step costs what its first run did, each further one its warm median.
    """
    first: defaultdict[int, float] = defaultdict(float)
    for call in run.calls:
        first[call.step] += call.seconds
    requests = sum(each.count for each in run.warm)
    if not requests or first.keys() != {each.step for each in run.warm}:
        return None
    per_request = sum(each.count * each.median for each in run.warm) / requests
    fixed = sum(first[each.step] - each.median for each in run.warm)
    cold = sum(max(first[each.step] - each.median, 0.0) for each in run.warm)
    return Cost(
        policy=run.policy,
        fixed=fixed,
        per_request=per_request,
        total=sum(first.values()) + sum(map(_repeated, run.warm)),
        noise=_noise(run.warm, [each.count - 1 for each in run.warm], cold),
        request_noise=_noise(run.warm, [each.count for each in run.warm]) / requests,
    )


def _repeated(warm: Warm) -> float:
    """Seconds of all requests of a step but the first."""
    return (warm.count - 1) * warm.median


def _noise(warm: Sequence[Warm], counts: Sequence[int], once: float = 0.0) -> float:
    """How far the sum of so many warm requests of each step, and of `once`, may be off."""
    counted = list(zip(warm, counts, strict=True))
    once += sum(count * each.median for each, count in counted if each.repeats < FEW)
    return math.hypot(ONCE * once, _spread([pair for pair in counted if pair[0].repeats >= FEW]))


def _spread(counted: Sequence[tuple[Warm, int]]) -> float:
    """Half the width of the 90 % interval of the sum of warm requests, by bootstrap."""
    varying = [(each, count) for each, count in counted if count and len(set(each.seconds)) > 1]
    if not varying:
        return 0.0
    chance = random.Random(0)  # noqa: S311 - the same figures give the same noise
    sums = sorted(
        sum(
            count * statistics.median(chance.choices(each.seconds, k=each.repeats))
            for each, count in varying
        )
        for _ in range(RESAMPLES)
    )
    cut = int(_TAIL * RESAMPLES)
    return (sums[-1 - cut] - sums[cut]) / 2
