"""Which policy costs the least, in sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pytest_compilecheck.policies.compare import nearest
from pytest_compilecheck.policies.measured import Comparison, Cost, Range
from pytest_compilecheck.policies.shortcomings import shortcoming
from pytest_compilecheck.report.policies.table import total_text
from pytest_compilecheck.report.wording import plural, printable, sentence


def choice_text(compared: Comparison) -> str:
    """Which policy costs the least over the trace, by how much, and before which other."""
    choice = compared.choice
    if choice is None:
        return "no policy can be preferred: none of them ran the whole trace right"
    costs = {cost.policy: cost for cost in compared.costs}
    best = costs[choice.preferred]
    if choice.runner_up is None:
        return f"{_cost(best)}; no other policy can be preferred"
    near = nearest(compared)
    if len(near) > 1:
        told = ", ".join(map(_cost, near))
        return f"too close to call, because they differ by less than the noise: {told}"
    more = "" if choice.margin is None else f", costs {choice.margin:.0%} more"
    least = f"{printable(best.policy)} costs the least: {total_text(best)}"
    return f"{least}; the next, {_cost(costs[choice.runner_up])}{more}"


def ranges_text(compared: Comparison) -> str:
    """ "static costs the least below 40 requests, pow2 from 40 on"; "" where nothing is known."""
    if not compared.ranges:
        return ""
    first, *others = compared.ranges
    start = f"{printable(first.policy)} costs the least"
    if not others:
        return f"{start} from {plural(_whole(first), 'request')} of this mix on"
    ends = [f"{_whole(each):,}" for each in others]
    told = [f"{start} below {ends[0]} requests of this mix"]
    told += [
        f"{printable(each.policy)} below {end}" for each, end in zip(others, ends[1:], strict=False)
    ]
    return ", ".join([*told, f"{printable(others[-1].policy)} from {ends[-1]} on"]) + _close(others)


def _close(changes: Sequence[Range]) -> str:
    names = [printable(each.policy) for each in changes if each.close]
    return f"; the change to {' and to '.join(names)} is within the noise" if names else ""


def left_out_text(compared: Comparison) -> list[str]:
    """For each policy that cannot be preferred the reason."""
    told = {run.policy: shortcoming(run) for run in compared.runs}
    return [
        f"{printable(name)} cannot be preferred: {sentence(why)}"
        for name, why in told.items()
        if why
    ]


def _cost(cost: Cost) -> str:
    return f"{printable(cost.policy)} ({total_text(cost)})"


def _whole(each: Range) -> int:
    """The first whole number of requests in a range; a crossing is no more exact than its sums."""
    return math.ceil(round(each.from_requests, 6))
