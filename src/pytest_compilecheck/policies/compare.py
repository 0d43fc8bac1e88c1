"""Which policy costs the least over a trace, at its own and at other numbers of requests."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_compilecheck.policies.measured import Comparison, PolicyRun


def compare(runs: Sequence[PolicyRun], *, backend: str, device: str) -> Comparison:
    """The comparison of the runs of all policies of a contract, in the contract's order."""
    counts = {each.step: each.count for run in runs for each in run.warm}
    return Comparison(
        requests=sum(counts.values()), backend=backend, device=device, runs=tuple(runs)
    )
