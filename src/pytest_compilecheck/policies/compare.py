"""Which policy costs the least over a trace, at its own and at other numbers of requests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pytest_compilecheck.policies.costs import cost_of
from pytest_compilecheck.policies.envelope import cheapest_ranges
from pytest_compilecheck.policies.measured import Choice, Comparison, Cost, PolicyRun
from pytest_compilecheck.policies.shortcomings import shortcoming


def compare(runs: Sequence[PolicyRun], *, backend: str, device: str) -> Comparison:
    """The comparison of the runs of all policies of a contract, in the contract's order.

    `costs` has those that were measured, also where they are of no use; in `ranges` and for the
    choice are those alone that ran the whole trace right, and compiled.
    """
    counts = {each.step: each.count for run in runs for each in run.warm}
    measured = Comparison(
        requests=sum(counts.values()),
        backend=backend,
        device=device,
        runs=tuple(runs),
        costs=tuple(cost for cost in map(cost_of, runs) if cost is not None),
    )
    fit = fit_costs(measured)
    ranges = cheapest_ranges(fit, least=len(counts))
    return replace(measured, ranges=ranges, choice=_choice(fit))


def fit_costs(comparison: Comparison) -> list[Cost]:
    """The costs of the policies that may be preferred."""
    unfit = {run.policy for run in comparison.runs if shortcoming(run)}
    return [cost for cost in comparison.costs if cost.policy not in unfit]


def overlap(one: Cost, other: Cost) -> bool:
    """Whether two totals differ by no more than the noise of both."""
    return abs(one.total - other.total) <= one.noise + other.noise


def nearest(comparison: Comparison) -> list[Cost]:
    """The policy that costs the least, and those too close to it to tell; [] where there is none.

    The cheapest one is the first.
    """
    costs = sorted(fit_costs(comparison), key=_cheapest_first)
    return [cost for cost in costs if overlap(costs[0], cost)]


def _cheapest_first(cost: Cost) -> tuple[float, str]:
    return cost.total, cost.policy


def _choice(costs: Sequence[Cost]) -> Choice | None:
    if not costs:
        return None
    best, *others = sorted(costs, key=_cheapest_first)
    second = others[0] if others else None
    return Choice(
        preferred=best.policy,
        runner_up=second.policy if second else None,
        margin=second.total / best.total - 1 if second and best.total > 0 else None,
        close=any(overlap(best, other) for other in others),
    )
