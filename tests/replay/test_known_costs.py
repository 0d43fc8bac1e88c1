"""A program whose costs are known: a backend that sleeps and keeps memory, a call that sleeps.

The sleeps are long against what Dynamo takes itself, so that they can be told on a busy machine.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from replay.made import contract

from pytest_compilecheck import trace_file
from pytest_compilecheck.observe.surroundings import Surroundings
from pytest_compilecheck.policies.compare import compare
from pytest_compilecheck.policies.measured import Comparison, PolicyRun
from pytest_compilecheck.replay.replay import replayed

COMPILE = 0.8  # seconds of each compile
UNIT = 0.002  # seconds of a call for each row
SLOWER = 0.1  # what a call of a graph with a symbolic size takes more
KEPT = 48 * 2**20  # bytes that each compile keeps
GROWN = 24 * 2**20  # bytes that the first call of each size of a symbolic graph keeps
SIZES = (10, 20, 30)
COUNTS = (8, 1, 1)


class SleepingBackend:
    """Compiles and runs in known time, and holds known memory."""

    def __init__(self) -> None:
        self.kept: list[bytes] = []

    def __call__(self, gm: Any, inputs: list[Any]) -> Callable[..., Any]:
        symbolic = any(isinstance(each, torch.SymInt) for each in inputs)
        time.sleep(COMPILE)
        self.kept.append(_held(KEPT))
        met: set[int] = set()

        def run(*args: Any) -> Any:
            rows = next(each for each in args if isinstance(each, torch.Tensor)).shape[0]
            time.sleep(rows * UNIT + symbolic * SLOWER)
            if symbolic and rows not in met:
                met.add(rows)
                self.kept.append(_held(GROWN))
            return gm.forward(*args)

        return run


def _held(size: int) -> bytes:
    return b"\1" * size  # written, so that it is resident


def double(x: torch.Tensor) -> torch.Tensor:
    return x * 2


@pytest.fixture(scope="module")
def comparison(tmp_path_factory: pytest.TempPathFactory) -> Comparison:
    """All policies over the trace, each with a backend of its own."""
    rows = "".join(f"{size},{count}\n" for size, count in zip(SIZES, COUNTS, strict=True))
    file = tmp_path_factory.mktemp("trace") / "rows.csv"
    file.write_text(f"S,count\n{rows}", encoding="utf-8")
    for policy in ("static", "dynamic"):  # what torch loads and keeps is no matter of ours
        _measured(policy, file, backend="eager")
    runs = [_measured(policy, file) for policy in ("static", "dynamic", "pow2")]
    return compare(runs, backend="sleeping", device="cpu")


def _measured(policy: str, file: Path, backend: object = None) -> PolicyRun:
    made = contract(
        "x",
        shapes={"x": "S 4"},
        dims=trace_file(str(file)),
        backend=backend or SleepingBackend(),
        policies=[policy],
    )
    gc.collect()
    return replayed(
        made,
        made.policies[0],
        double,
        {},
        default_backend="eager",
        around=Surroundings(root=str(Path(__file__).parent)),
        budget=0.0,
    )


@pytest.fixture(autouse=True)
def _clean() -> Iterator[None]:
    yield
    torch._dynamo.reset()


def run_of(comparison: Comparison, policy: str) -> PolicyRun:
    (found,) = (run for run in comparison.runs if run.policy == policy)
    assert found.error == ""
    return found


@pytest.mark.parametrize(
    ("policy", "kinds", "variants", "hit_rate"),
    [
        ("static", ["compile", "recompile", "recompile"], 3, 0.7),
        ("dynamic", ["compile", "hit", "hit"], 1, 0.9),
        ("pow2", ["compile", "recompile", "hit"], 2, 0.8),
    ],
)
def test_what_was_compiled_is_counted(
    comparison: Comparison, policy: str, kinds: list[str], variants: int, hit_rate: float
) -> None:
    run = run_of(comparison, policy)
    assert [call.kind for call in run.calls] == kinds
    assert (run.variants, run.recompiles) == (variants, variants - 1)
    assert run.hit_rate == pytest.approx(hit_rate)
    assert run.launches_per_call == 1
    assert (run.mismatch, run.fallbacks, run.graph_breaks) == ("", 0, 0)


@pytest.mark.parametrize(("policy", "rebuilds"), [("static", 2), ("dynamic", 0), ("pow2", 1)])
def test_compiling_is_first_or_a_rebuild_and_the_backend_is_told_apart(
    comparison: Comparison, policy: str, rebuilds: int
) -> None:
    run = run_of(comparison, policy)
    assert COMPILE <= run.first_compile_seconds < COMPILE + 0.8
    assert rebuilds * COMPILE <= run.rebuild_seconds <= rebuilds * (COMPILE + 0.8)
    for call in run.calls:
        compiled = call.kind != "hit"
        assert COMPILE * compiled <= call.backend_seconds <= (COMPILE + 0.2) * compiled
        assert call.backend_seconds <= call.compile_seconds <= call.seconds


def test_warm_latency_is_that_of_the_size_that_is_run(comparison: Comparison) -> None:
    expected = {
        "static": [0.020, 0.040, 0.060],
        "dynamic": [0.120, 0.140, 0.160],
        "pow2": [0.032, 0.064, 0.064],
    }
    for policy, seconds in expected.items():
        warm = run_of(comparison, policy).warm
        assert [each.median for each in warm] == pytest.approx(seconds, abs=0.01)
        assert [each.count for each in warm] == list(COUNTS)
        assert all(each.repeats == 7 for each in warm)


def test_padding_is_work(comparison: Comparison) -> None:
    static, padded = run_of(comparison, "static"), run_of(comparison, "pow2")
    real = 4 * (8 * 10 + 20 + 30)
    assert (static.real_elements, static.elements) == (real, real)
    assert (padded.real_elements, padded.elements) == (real, 4 * (8 * 16 + 32 + 32))


def test_each_spike_has_its_cause(comparison: Comparison) -> None:
    told = {
        run.policy: [(call.mechanism, call.detail) for call in run.calls] for run in comparison.runs
    }
    assert told["static"] == [
        ("first_compile", ""),
        ("rebuild", "S: 10 -> 20"),
        ("rebuild", "S: 20 -> 30"),
    ]
    assert told["dynamic"] == [("first_compile", ""), (None, ""), (None, "")]
    assert told["pow2"] == [("first_compile", ""), ("rebuild", "S: 16 -> 32"), (None, "")]


def test_each_memory_step_has_its_cause(comparison: Comparison) -> None:
    expected = {
        "static": [("first_compile", KEPT), ("rebuild", KEPT), ("rebuild", KEPT)],
        "dynamic": [
            ("first_compile", KEPT + GROWN),
            ("allocator", GROWN),
            ("allocator", GROWN),
        ],
        "pow2": [("first_compile", KEPT), ("rebuild", KEPT)],
    }
    for policy, steps in expected.items():
        found = run_of(comparison, policy).memory_steps
        large = [step for step in found if step.bytes > GROWN / 2]
        assert [step.mechanism for step in large] == [mechanism for mechanism, _ in steps]
        for step, (_, size) in zip(large, steps, strict=True):
            assert step.bytes == pytest.approx(size, abs=GROWN / 4)


def test_costs_cross_where_they_must(comparison: Comparison) -> None:
    costs = {cost.policy: cost for cost in comparison.costs}
    warm = {"static": 0.026, "dynamic": 0.126, "pow2": 0.0384}
    compiles = {"static": 3, "dynamic": 1, "pow2": 2}
    for policy, cost in costs.items():
        assert cost.per_request == pytest.approx(warm[policy], abs=0.008)
        count = compiles[policy]
        assert count * COMPILE <= cost.fixed <= count * (COMPILE + 0.8)
    # Each compile that is saved is worth its seconds; each request costs the difference.
    assert [each.policy for each in comparison.ranges] == ["dynamic", "pow2", "static"]
    first, second = (each.from_requests for each in comparison.ranges[1:])
    assert 5 < first < 40  # 0.8 s over 88 ms a request are 9
    assert 35 < second < 200  # 0.8 s over 12.4 ms are 65


@pytest.mark.slow
def test_guards_are_timed_and_memory_has_a_peak(comparison: Comparison) -> None:
    for run in comparison.runs:
        assert run.guard_seconds is not None
        assert 0 < run.guard_seconds < 0.005
        assert run.peak_memory is not None
        held = [call.memory for call in run.calls if call.memory is not None]
        assert run.peak_memory >= max(held)
        assert run.calls[0].guards > 0
