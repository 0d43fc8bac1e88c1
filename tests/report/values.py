"""Hand-made observations: each function gives a plain value, with any field set by keyword."""

from __future__ import annotations

from typing import Any

from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.judge.run_report import RunReport
from pytest_compilecheck.judge.verdict import Verdict, Violation
from pytest_compilecheck.observe.values.observation import (
    BreakSite,
    Fallback,
    Observation,
    OpaqueOp,
    TimelineEntry,
)
from pytest_compilecheck.observe.values.place import Frame
from pytest_compilecheck.observe.values.recompile import (
    AssumedSizes,
    Change,
    FixedSize,
    FragileGuard,
    RecompileAttempt,
    RecompileEvent,
)

SIZE_GUARD = "tensor 'x' size mismatch at index 1. expected 128, actual 129"


def frame(file: str = "model/mlp.py", line: int = 14, function: str = "inner") -> Frame:
    return Frame(file=file, line=line, function=function)


def site(**fields: Any) -> BreakSite:
    return BreakSite(
        **{
            "file": "model/mlp.py",
            "line": 14,
            "column": 8,
            "end_column": 19,
            "code": "if y.sum() > 0:",
            "function": "inner",
            "reason": "Data-dependent branching",
            "explanation": "Detected data-dependent branching.",
            "hints": ("Use `torch.cond` to express dynamic control flow.",),
            "gb_id": "GB0170",
            "gb_ids": ("GB0170",),
            "docs": "https://example.org/gb0170.html",
            "owner": "own",
            "events": 3,
            "event_calls": (0, 1),
            "executions_per_warm_call": 1.0,
            "skips_function": False,
            "own_frame": frame(),
            "chain": (frame(line=7, function="deep"),),
            **fields,
        }
    )


def change(**fields: Any) -> Change:
    return Change(
        **{
            "cause": "shape",
            "holder": "argument",
            "source": "x.size(1)",
            "expected": "128",
            "actual": "129",
            **fields,
        }
    )


def recompile(**fields: Any) -> RecompileEvent:
    return RecompileEvent(
        **{
            "call": 1,
            "code_object": 0,
            "function": "forward",
            "file": "model/mlp.py",
            "line": 9,
            "guard": SIZE_GUARD,
            "guards": (SIZE_GUARD,),
            "changes": (change(),),
            **fields,
        }
    )


def attempt(**fields: Any) -> RecompileAttempt:
    return RecompileAttempt(
        **{
            "call": 8,
            "function": "forward",
            "file": "model/mlp.py",
            "line": 9,
            "guard": "n == 7",
            "changes": (change(cause="python_value", source="n", expected="7", actual="8"),),
            "outcome": "limit",
            **fields,
        }
    )


def fragile(**fields: Any) -> FragileGuard:
    return FragileGuard(
        **{
            "source": "self.step",
            "value": "3",
            "holder": "module",
            "file": "model/mlp.py",
            "line": 12,
            "why": "Mlp.forward assigns it: each new value rebuilds",
            "rank": 0,
            **fields,
        }
    )


def opaque(**fields: Any) -> OpaqueOp:
    return OpaqueOp(
        **{
            "name": "lib.scale.default",
            "calls": 1,
            "file": "model/mlp.py",
            "line": 12,
            "function": "forward",
            "code": "return scale(x, 2.0)",
            **fields,
        }
    )


def assumed_sizes(**fields: Any) -> AssumedSizes:
    return AssumedSizes(
        **{
            "call": 0,
            "function": "forward",
            "file": "model/mlp.py",
            "line": 9,
            "sizes": {"x": (8, None)},
            **fields,
        }
    )


def fixed_size(**fields: Any) -> FixedSize:
    return FixedSize(
        **{
            "call": 1,
            "sources": ("x.size(1)",),
            "value": "129",
            "file": "model/mlp.py",
            "line": 12,
            "function": "forward",
            "code": "for i in range(x.shape[1]):",
            "reason": "range() needs a number",
            **fields,
        }
    )


def fallback(**fields: Any) -> Fallback:
    return Fallback(
        **{
            "kind": "recompile_limit",
            "calls": (8, 9, 10),
            "function": "forward",
            "file": "model/mlp.py",
            "line": 9,
            "reason": "n changes from call to call",
            **fields,
        }
    )


def entry(call: int, kind: str = "hit", **fields: Any) -> TimelineEntry:
    return TimelineEntry(
        **{
            "call": call,
            "step": call,
            "pass_": 0,
            "kind": kind,
            "sizes": {"x": (8, 128)},
            "seconds": 0.5,
            "compile_seconds": 0.0 if kind == "hit" else 0.25,
            "graph_launches": 2,
            "region": "forward",
            **fields,
        }
    )


def observation(**fields: Any) -> Observation:
    return Observation(
        **{
            "graphs": 2,
            "captured_ops": 41,
            "smallest_graph_ops": 3,
            "break_sites": (),
            "recompiles": 0,
            "recompile_events": (),
            "recompile_attempts": (),
            "fallbacks": (),
            "timeline": (entry(0, "compile"), entry(1)),
            **fields,
        }
    )


def violation(
    bound: str, allowed: float | None, observed: float | None, said: str = ""
) -> Violation:
    return Violation(bound=bound, allowed=allowed, observed=observed, message=said)


def record(
    *violations: Violation,
    observed: Observation | None = None,
    verdict: dict[str, Any] | None = None,
    **fields: Any,
) -> ContractRecord:
    return ContractRecord(
        **{
            "id": "tests/test_mlp.py::test_mlp",
            "outcome": "failed" if violations else "passed",
            "contract": {"max_graph_breaks": 0, "max_recompiles": 0, "owners": None},
            "observed": observed,
            "verdict": Verdict(violations=violations, **(verdict or {})),
            **fields,
        }
    )


def run(*contracts: ContractRecord, **fields: Any) -> RunReport:
    given = {"torch": "2.13.0", "python": "3.11.7", "complete": True, **fields}
    return RunReport(contracts=contracts, **given)
