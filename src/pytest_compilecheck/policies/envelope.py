"""Which policy is the cheapest at which number of requests."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pytest_compilecheck.policies.measured import Cost, Range


def cheapest_ranges(costs: Sequence[Cost], *, least: float) -> tuple[Range, ...]:
    """The lower envelope of the lines of costs, from `least` requests on; () without costs."""
    if not costs:
        return ()
    best = min(costs, key=lambda cost: (cost.at(least), cost.per_request, cost.policy))
    ranges = [Range(policy=best.policy, from_requests=least)]
    while flatter := [cost for cost in costs if cost.per_request < best.per_request]:
        steeper = best
        best = min(
            flatter, key=lambda cost: (_crossing(steeper, cost), cost.per_request, cost.policy)
        )
        at = _crossing(steeper, best)
        if math.isinf(at):
            break
        close = _is_close(steeper, best)
        ranges.append(Range(policy=best.policy, from_requests=max(at, least), close=close))
    return tuple(ranges)


def _is_close(steeper: Cost, flatter: Cost) -> bool:
    """Whether a request costs both the same within the noise."""
    noise = steeper.request_noise + flatter.request_noise
    return steeper.per_request - flatter.per_request <= noise


def _crossing(steeper: Cost, flatter: Cost) -> float:
    """The number of requests from which on the flatter one costs less; inf beyond all floats."""
    return (flatter.fixed - steeper.fixed) / (steeper.per_request - flatter.per_request)
