"""Policies measured by workers of xdist are those that one process measures."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_layer.projects import Project, without_times

# Two runs of a step in place of hundreds: here it matters what is seen, not what it costs.
QUICK = """
import pytest

@pytest.fixture(autouse=True)
def quick(monkeypatch):
    for name in ("LEAST", "MOST"):
        monkeypatch.setattr(f"pytest_compilecheck.replay.repeats.{name}", 2)
"""
CONTRACTS = """
@compile_contract(
    max_recompiles=None, shapes={"x": "S 4"}, dims={"S": [5, 6, 7]}, policies=["auto"]
)
def test_sum(x):
    return x.sum(0)

@compile_contract(
    max_recompiles=None,
    max_graph_breaks=None,
    shapes={"x": "S"},
    dims={"S": [5, 6, 11]},
    policies=["pow2"],
)
def test_breaks_and_cannot_be_padded(x):
    print("break")
    return x - x.mean()
"""
TIMED = {
    *("gc_seconds", "backend_seconds", "autotune_seconds", "first_compile_seconds"),
    *("rebuild_seconds", "guard_seconds", "median", "low", "high", "stable"),
    *("mechanism", "costs", "ranges", "choice"),
    *("memory", "memory_before", "device_memory", "memory_steps", "peak_memory"),
}
"""What hangs on times and memory, beside what no report has twice."""


def settled(data: Any) -> Any:
    """A report without what differs from run to run."""
    if isinstance(data, dict):
        if "mechanism" in data and data["kind"] != "recompile":
            data = {**data, "detail": ""}  # in which milliseconds may be told
        return {key: settled(value) for key, value in data.items() if key not in TIMED}
    return [settled(item) for item in data] if isinstance(data, list) else data


@pytest.mark.slow
def test_workers_give_the_records_of_one_process(project: Project) -> None:
    project.file("conftest.py", QUICK)
    project.tests(CONTRACTS)
    options = ("--compilecheck-policies", "--compilecheck-policies-inprocess")
    alone, spread = (
        settled(without_times(project.report(*options, f"-n{workers}"))) for workers in (0, 2)
    )
    runs = [run for record in alone["contracts"] for run in record["policies"]["runs"]]
    assert [(run["policy"], run["variants"], len(run["calls"])) for run in runs] == [
        ("pow2", 2, 3),
        ("auto", 2, 3),
    ]
    assert runs[0]["mismatch"]
    assert all(len(run["warm"]) == 3 and not run["error"] for run in runs)
    assert spread == alone
