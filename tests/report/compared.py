"""A hand-made comparison of policies: each function gives a plain value, any field by keyword."""

from __future__ import annotations

from typing import Any

from pytest_compilecheck.policies.measured import (
    Choice,
    Comparison,
    Cost,
    MemoryStep,
    PolicyRun,
    Range,
    ReplayCall,
    Warm,
)

LENGTHS = (128, 129, 256, 257, 512, 513)
MB = 1_000_000


def replay_call(call: int, kind: str = "hit", **fields: Any) -> ReplayCall:
    return ReplayCall(
        **{
            "call": call,
            "step": call % 6,
            "kind": kind,
            "sizes": {"x": (8, LENGTHS[call % 6])},
            "seconds": 0.001 if kind == "hit" else 0.8,
            "memory": 500 * MB + call * MB,
            **fields,
        }
    )


def warm(step: int, median: float = 0.001, **fields: Any) -> Warm:
    return Warm(
        **{
            "step": step,
            "count": 10,
            "sizes": {"x": (8, LENGTHS[step % 6])},
            "seconds": (median, median),
            "median": median,
            "low": median * 0.9,
            "high": median * 1.2,
            "stable": True,
            **fields,
        }
    )


def policy_run(policy: str = "static", **fields: Any) -> PolicyRun:
    """A run of six lengths in which each is compiled."""
    calls = [
        replay_call(0, "compile", mechanism="first_compile", seconds=2.1),
        *(
            replay_call(
                call,
                "recompile",
                mechanism="rebuild",
                detail=f"S: {LENGTHS[call - 1]} -> {LENGTHS[call]}",
            )
            for call in range(1, 6)
        ),
        *(replay_call(call) for call in range(6, 12)),
    ]
    return PolicyRun(
        **{
            "policy": policy,
            "variants": 6,
            "recompiles": 5,
            "first_compile_seconds": 2.1,
            "rebuild_seconds": 4.0,
            "hit_rate": 0.5,
            "real_elements": 1000,
            "elements": 1000,
            "launches_per_call": 3.0,
            "guard_seconds": 2e-5,
            "peak_memory": 620 * MB,
            "calls": tuple(calls),
            "warm": tuple(warm(step, 0.0005 * (step + 1)) for step in range(6)),
            "memory_steps": (MemoryStep(call=1, bytes=40 * MB, mechanism="rebuild"),),
            **fields,
        }
    )


def dynamic_run(**fields: Any) -> PolicyRun:
    """A run in which one graph serves all."""
    calls = [replay_call(0, "compile", mechanism="first_compile", seconds=3.2)]
    calls += [replay_call(call, seconds=0.0014) for call in range(1, 12)]
    calls[7] = replay_call(7, seconds=0.03, mechanism="garbage", detail="a full collection")
    return policy_run(
        "dynamic",
        **{
            "variants": 1,
            "recompiles": 0,
            "first_compile_seconds": 3.2,
            "rebuild_seconds": 0.0,
            "hit_rate": 11 / 12,
            "calls": tuple(calls),
            "warm": tuple(warm(step, 0.0008 * (step + 1)) for step in range(6)),
            "memory_steps": (),
            **fields,
        },
    )


def bucket_run(**fields: Any) -> PolicyRun:
    """A run whose inputs are padded to powers of two."""
    calls = [replay_call(0, "compile", mechanism="first_compile", seconds=2.0)]
    for call in range(1, 12):
        is_new = call in (1, 3, 5)
        seconds = 0.9 if is_new else 0.0016
        why = {"mechanism": "rebuild", "detail": "S: 128 -> 256"} if is_new else {}
        calls.append(replay_call(call, "recompile" if is_new else "hit", seconds=seconds, **why))
    return policy_run(
        "pow2",
        **{
            "variants": 4,
            "recompiles": 3,
            "first_compile_seconds": 2.0,
            "rebuild_seconds": 2.7,
            "hit_rate": 8 / 12,
            "elements": 1400,
            "calls": tuple(calls),
            "warm": tuple(warm(step, 0.0007 * (step + 1), stable=step > 1) for step in range(6)),
            "memory_steps": (),
            **fields,
        },
    )


def comparison(**fields: Any) -> Comparison:
    return Comparison(
        **{
            "requests": 400,
            "backend": "inductor",
            "device": "cpu",
            "runs": (policy_run(), dynamic_run(), bucket_run()),
            "costs": (
                Cost(policy="static", fixed=6.1, per_request=0.0018, total=6.82, noise=0.1),
                Cost(policy="dynamic", fixed=3.2, per_request=0.0029, total=4.36, noise=0.1),
                Cost(policy="pow2", fixed=4.7, per_request=0.0024, total=5.66, noise=0.1),
            ),
            "ranges": (
                Range(policy="dynamic", from_requests=1),
                Range(policy="static", from_requests=2636.4),
            ),
            "choice": Choice(preferred="dynamic", runner_up="pow2", margin=0.298, close=False),
            **fields,
        }
    )
