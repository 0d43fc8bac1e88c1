"""Records and baselines by hand."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from threading import Barrier
from typing import Any

from report.values import (
    change,
    entry,
    fallback,
    observation,
    recompile,
    record,
    site,
    violation,
)

from pytest_compilecheck.baseline.known import Baseline, Entry, Recorded
from pytest_compilecheck.baseline.store import update_file
from pytest_compilecheck.baseline.update import Transform, updated
from pytest_compilecheck.judge.findings import Finding
from pytest_compilecheck.judge.record import ContractRecord

CONTRACT = "tests/test_mlp.py::test_mlp"
BREAK = Finding(CONTRACT, "graph_break", "model/mlp.py", "inner", "GB0170")
PRINT = Finding(CONTRACT, "graph_break", "model/mlp.py", "inner", "GB0059")
REBUILD = Finding(CONTRACT, "recompile", "model/mlp.py", "forward", "shape")
STEP = Finding(CONTRACT, "recompile", "model/mlp.py", "forward", "module_state")
RECOMPILES = Finding(CONTRACT, "max_recompiles")
FALLBACK = Finding(CONTRACT, "fallback", "model/mlp.py", "forward", "recompile_limit")
HIT_RATE = Finding(CONTRACT, "min_hit_rate")


def baseline(*known: tuple[Finding, dict[str, float]]) -> Baseline:
    return Baseline.of((Entry(finding, counts) for finding, counts in known), {})


def broken(*, breaks: int = 0, prints: int = 0, **fields: Any) -> ContractRecord:
    """A record in which lines break, on 0 allowed."""
    sites = [site(line=line) for line in range(breaks)]
    sites += [site(line=50 + line, gb_id="GB0059") for line in range(prints)]
    found = (violation("max_graph_breaks", 0, len(sites)),) if sites else ()
    seen = observation(break_sites=tuple(sites))
    return record(*found, observed=seen, **fields)


def rebuilt(shapes: int, steps: int, total: int, **fields: Any) -> ContractRecord:
    """A record with recompiles of two causes, counted as `total`, on 0 allowed."""
    state = (change(cause="module_state", source="self.step"),)
    events = [recompile(call=call) for call in range(shapes)]
    events += [recompile(call=call, code_object=1, changes=state) for call in range(steps)]
    found = (violation("max_recompiles", 0, total),) if total else ()
    seen = observation(recompiles=total, recompile_events=tuple(events))
    return record(*found, observed=seen, **fields)


def fell_back(*kinds: str, **fields: Any) -> ContractRecord:
    found = tuple(fallback(kind=kind) for kind in kinds)
    seen = observation(fallbacks=found)
    return record(violation("fallback", 0, len(found)), observed=seen, **fields)


def slow(rate: float | None, **fields: Any) -> ContractRecord:
    return record(violation("min_hit_rate", 0.9, rate), observed=observation(), **fields)


def raised(record_: ContractRecord) -> ContractRecord:
    """The record of the same run, in which a call raised."""
    assert record_.observed is not None
    timeline = (*record_.observed.timeline, entry(9, "error", error="ValueError: x"))
    seen = observation(break_sites=record_.observed.break_sites, timeline=timeline)
    return record(*record_.verdict.violations, observed=seen)


def adding(record: ContractRecord) -> Transform:
    return partial(
        updated, records=[record], update="new", release="2.13", recorded=Recorded("2.13.0")
    )


def update_often(path: Path, worker: int, start: Barrier) -> None:
    """Ten updates, as a run of its own makes them; here, where a spawned process can import it."""
    start.wait()
    for number in range(10):
        update_file(path, adding(broken(breaks=1, id=f"t.py::t[{worker}-{number}]")))
