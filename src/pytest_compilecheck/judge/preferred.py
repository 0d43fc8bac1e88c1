"""Holds the policy that a contract prefers against what each of its policies costs."""

from __future__ import annotations

from pytest_compilecheck.contract.model import Contract
from pytest_compilecheck.judge.verdict import Violation
from pytest_compilecheck.policies.compare import fit_costs, overlap
from pytest_compilecheck.policies.measured import Comparison
from pytest_compilecheck.policies.shortcomings import shortcoming

BOUND = "preferred_policy"


def preferred_violations(contract: Contract, comparison: Comparison | None) -> list[Violation]:
    """The violation of `preferred_policy`; none where there is no comparison to judge it by.

    It holds where no other costs less by more than the margin and by more than the noise. Where the
    preferred one ran wrong, or was not measured, it does not.
    """
    name = contract.preferred_policy
    if name is None or comparison is None:
        return []
    runs = {run.policy: run for run in comparison.runs}
    why = shortcoming(runs[name]) if name in runs else "it was not measured"
    if why:
        told = f"the preferred policy {name!r} cannot be preferred: {why}"
        return [_violation(contract, None, told)]
    costs = {cost.policy: cost for cost in fit_costs(comparison)}
    mine = costs[name]
    better = [
        cost
        for cost in costs.values()
        if mine.total > (1 + contract.policy_margin) * cost.total and not overlap(mine, cost)
    ]
    if not better:
        return []
    best = min(better, key=lambda cost: (cost.total, cost.policy))
    more = mine.total / best.total - 1 if best.total > 0 else None
    told = "more" if more is None else f"{more:.0%} more"
    message = (
        f"the preferred policy {name!r} costs {told} than {best.policy!r}"
        f" ({mine.total:.3g} s against {best.total:.3g} s for {comparison.requests} requests),"
        f" {contract.policy_margin:.0%} allowed"
    )
    return [_violation(contract, more, message)]


def _violation(contract: Contract, observed: float | None, message: str) -> Violation:
    return Violation(
        bound=BOUND, allowed=contract.policy_margin, observed=observed, message=message
    )
