"""Hand-made figures of policies: each function gives a plain value, with any field by keyword."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

from pytest_compilecheck.policies.compare import compare
from pytest_compilecheck.policies.measured import Comparison, PolicyRun, ReplayCall, Warm


def call(number: int, seconds: float = 0.01, kind: str = "hit", **fields: Any) -> ReplayCall:
    """A call of the step of its own number."""
    sizes = {"x": (8, 128 + number)}
    return ReplayCall(
        **{"call": number, "step": number, "kind": kind, "sizes": sizes, "seconds": seconds}
        | fields
    )


def warm(step: int, seconds: Sequence[float] = (0.01,) * 9, count: int = 1, **fields: Any) -> Warm:
    low, median, high = (
        statistics.quantiles(seconds, n=4, method="inclusive")
        if len(seconds) > 1
        else [seconds[0]] * 3
    )
    figures = {"median": median, "low": low, "high": high, "stable": True}
    sizes = {"x": (8, 128 + step)}
    return Warm(
        **{"step": step, "count": count, "sizes": sizes, "seconds": tuple(seconds)}
        | figures
        | fields
    )


def policy_run(policy: str, **fields: Any) -> PolicyRun:
    return PolicyRun(**{"policy": policy, "variants": 1, **fields})


def replay(
    policy: str = "auto",
    first: Sequence[float] = (1.0, 1.0),
    usual: Sequence[float] = (0.01, 0.02),
    counts: Sequence[int] = (30, 10),
    **fields: Any,
) -> PolicyRun:
    """A run of a trace: seconds of the first and the usual request of each step."""
    kinds = ["compile", *["recompile"] * (len(first) - 1)]
    made = {
        "calls": tuple(
            call(at, each, kind, compile_seconds=0.9 * each)
            for at, (each, kind) in enumerate(zip(first, kinds, strict=True))
        ),
        "warm": tuple(
            warm(at, (each,) * 9, count)
            for at, (each, count) in enumerate(zip(usual, counts, strict=True))
        ),
        "variants": len(first),
        "recompiles": len(first) - 1,
    }
    return policy_run(policy, **{**made, **fields})


def compared(*runs: PolicyRun) -> Comparison:
    return compare(runs, backend="inductor", device="cpu")
