"""A contract that is run again by pytest-rerunfailures: its last run counts."""

from __future__ import annotations

import pytest

from pytest_layer.projects import Project

FLAKY = """
import os
import pathlib

def first_time(name):
    path = pathlib.Path(name)
    there = path.exists()
    path.touch()
    return not there

@pytest.fixture
def first(request):
    return first_time(request.node.name)

@compile_contract(watch_only=True)
def test_flaky(first):
    def function(x):
        if first:
            print("break")
        return x + 1
    torch.compile(function, backend="eager")(torch.ones(3))

@compile_contract(shapes=[(2, 3)])
def test_broken(x):
    print("break")
    return x + 1

def test_blocks(first, compilecheck):
    with compilecheck.watch("early" if first else "late", max_graph_breaks=0):
        compilecheck.compile(torch.relu)(torch.ones(3))
    assert not first
"""


@pytest.fixture(autouse=True)
def _beside(project: Project) -> None:
    project.beside = ("rerunfailures",)


@pytest.mark.slow
@pytest.mark.parametrize("workers", [[], ["-n1"]], ids=["alone", "workers"])
def test_the_last_run_counts(project: Project, workers: list[str]) -> None:
    project.tests(FLAKY)
    result = project.run_apart("--compilecheck-json=report.json", "--reruns=1", *workers)
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines("*3 rerun*")
    report = project.read_report()
    assert report["complete"] is True
    found = {(each["id"], each["part"]): each for each in report["contracts"]}
    assert {key: each["outcome"] for key, each in found.items()} == {
        ("test_it.py::test_flaky", None): "passed",
        ("test_it.py::test_broken", None): "failed",
        ("test_it.py::test_blocks", "late"): "passed",
    }
    assert found["test_it.py::test_flaky", None]["observed"]["break_sites"] == []


@pytest.mark.slow
def test_a_crashed_contract_that_another_worker_runs_again(project: Project) -> None:
    project.tests(
        FLAKY
        + """
@compile_contract(watch_only=True)
def test_crashes():
    if first_time("crash"):
        os._exit(3)
    torch.compile(torch.relu, backend="eager")(torch.ones(3))
"""
    )
    result = project.run_apart(
        "--compilecheck-json=report.json", "--reruns=1", "-n1", "-k", "crashes"
    )
    report = project.read_report()
    (contract,) = report["contracts"]
    assert (contract["outcome"], report["missing"], report["complete"]) == ("passed", [], True)
    assert result.ret == 0
