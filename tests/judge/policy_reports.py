"""Comparisons of policies for diffs: made by hand, and by hypothesis."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from policies.values import compared, replay
from report.values import observation, record, run

from pytest_compilecheck.judge.policy_changes import CostChange, PolicyChanges, Standing
from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.judge.run_report import RunReport
from pytest_compilecheck.policies.compare import compare
from pytest_compilecheck.policies.measured import Comparison, PolicyRun

MB = 1_000_000


def policy(name: str, seconds: float = 1.0, **fields: Any) -> PolicyRun:
    """A run whose total is twice that of a first call, and 0.38 s, 10 % of the first uncertain."""
    return replay(name, (seconds, seconds), (0.01, 0.01), **fields)


def measured(*runs: PolicyRun, **fields: Any) -> ContractRecord:
    return record(observed=observation(), policies=compared(*runs), **fields)


def report_of(*runs: PolicyRun) -> RunReport:
    return run(measured(*runs))


_runs = st.builds(
    policy,
    st.sampled_from(["static", "auto", "pow2"]),
    st.sampled_from([0.5, 1.0, 1.1, 2.0]),
    peak_memory=st.sampled_from([None, 400 * MB, 410 * MB, 500 * MB]),
    peak_device_memory=st.sampled_from([None, 5 * MB]),
    mismatch=st.sampled_from(["", "", "output: 1 / 6", "output: 2 / 6"]),
    counts=st.sampled_from([(30, 10), (30, 20)]),
)
comparisons: st.SearchStrategy[Comparison | None] = st.none() | st.builds(
    lambda runs, backend: compare(runs, backend=backend, device="cpu"),
    st.lists(_runs, min_size=1, max_size=3, unique_by=lambda each: each.policy),
    st.sampled_from(["inductor", "inductor", "eager"]),
)


def mirrored(found: PolicyChanges | None) -> PolicyChanges | None:
    """What is found when the reports are swapped."""
    if found is None:
        return None
    return PolicyChanges(
        standings=tuple(Standing(s.policy, s.after, s.before) for s in found.standings),
        cheapest_before=found.cheapest_after,
        cheapest_after=found.cheapest_before,
        costs=tuple(CostChange(c.policy, c.quantity, c.after, c.before) for c in found.costs),
        others=found.others,
    )
