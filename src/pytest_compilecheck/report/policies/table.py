"""What was measured of shape policies, as tables."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_compilecheck.policies.measured import Comparison, Cost, PolicyRun
from pytest_compilecheck.report.grid import Column
from pytest_compilecheck.report.policies.mechanisms import mechanism_text
from pytest_compilecheck.report.wording import (
    duration_text,
    memory_text,
    number,
    printable,
    sizes_text,
)


def total_text(cost: Cost) -> str:
    """What the trace costs: "4.36 s ± 0.1"."""
    return f"{cost.total:.3g} s ± {cost.noise:.2g}"


def policy_columns(compared: Comparison) -> dict[Column, list[str]]:
    """One cell for each policy in each column."""
    runs = compared.runs
    costs = {cost.policy: cost for cost in compared.costs}
    known = [costs.get(run.policy) for run in runs]
    columns = {
        Column("policy", "left"): [printable(run.policy) for run in runs],
        Column("cost"): ["?" if cost is None else total_text(cost) for cost in known],
        Column("a request"): [
            "?" if cost is None else duration_text(cost.per_request) for cost in known
        ],
        Column("first compile"): [f"{run.first_compile_seconds:.3g} s" for run in runs],
        Column("rebuilds"): [f"{run.rebuild_seconds:.3g} s" for run in runs],
        Column("variants"): [str(run.variants) for run in runs],
        Column("hit rate"): ["?" if r.hit_rate is None else f"{r.hit_rate:.0%}" for r in runs],
        Column("padded"): [_padded(run) for run in runs],
        Column("launches"): [number(run.launches_per_call) for run in runs],
        Column("guards"): [
            "?" if run.guard_seconds is None else f"{run.guard_seconds * 1e6:.3g} µs"
            for run in runs
        ],
        Column("peak memory"): [memory_text(run.peak_memory) for run in runs],
    }
    if any(run.peak_device_memory is not None for run in runs):
        columns[Column("device memory")] = [memory_text(run.peak_device_memory) for run in runs]
    return columns


def call_columns(run: PolicyRun) -> dict[Column, list[str]]:
    """One cell for each call of a replay in each column."""
    calls = run.calls
    return {
        Column("call"): [str(call.call) for call in calls],
        Column("step"): [str(call.step) for call in calls],
        Column("kind", "left"): [call.kind for call in calls],
        Column("sizes", "left"): [sizes_text(call.sizes) for call in calls],
        Column("seconds"): [f"{call.seconds:.4f}" for call in calls],
        Column("compiling"): [f"{call.compile_seconds:.4f}" for call in calls],
        Column("memory"): [memory_text(call.memory) for call in calls],
        Column("because of", "left"): [
            mechanism_text(call.mechanism, call.detail) if call.mechanism else "" for call in calls
        ],
    }


def step_columns(runs: Sequence[PolicyRun]) -> dict[Column, list[str]]:
    """One cell for each memory step that stayed, of all policies."""
    steps = [(run, step) for run in runs for step in run.memory_steps]
    return {
        Column("policy", "left"): [printable(run.policy) for run, _ in steps],
        Column("call"): [str(step.call) for _, step in steps],
        Column("memory"): [memory_text(step.bytes) for _, step in steps],
        Column("because of", "left"): [
            mechanism_text(step.mechanism, step.detail) for _, step in steps
        ],
    }


def warm_columns(runs: Sequence[PolicyRun]) -> dict[Column, list[str]]:
    """One cell for each step of each policy: its latency when everything is compiled."""
    warm = [(run, each) for run in runs for each in run.warm]
    return {
        Column("policy", "left"): [printable(run.policy) for run, _ in warm],
        Column("step"): [str(each.step) for _, each in warm],
        Column("sizes", "left"): [sizes_text(each.sizes) for _, each in warm],
        Column("count"): [str(each.count) for _, each in warm],
        Column("median"): [f"{each.median:.3g} s" for _, each in warm],
        Column("quartiles", "left"): [f"{each.low:.3g} to {each.high:.3g} s" for _, each in warm],
        Column("repeats"): [str(each.repeats) for _, each in warm],
        Column("stable", "left"): ["yes" if each.stable else "no" for _, each in warm],
    }


def _padded(run: PolicyRun) -> str:
    if not run.elements:
        return "?"
    return f"{1 - run.real_elements / run.elements:.0%}"
