"""Contracts under pytest-cov, which traces every line that Python runs."""

from __future__ import annotations

import json

import pytest

from pytest_layer.projects import Project, without_times

MODEL = """
import torch

class Model(torch.nn.Module):
    def forward(self, x):
        y = x + 1
        print("break")
        return prepared(y)

def prepared(x):
    if x.shape[0] > 100:
        return x - 1
    return x * 2
"""
SUITE = """
import model as library

@pytest.fixture
def model():
    library.prepared(torch.ones(2))
    return library.Model()

@compile_contract(shapes=[(2, 3), (4, 3)], max_graph_breaks=1, max_recompiles=1)
def test_sizes(model, x):
    return model(x)

@compile_contract(shapes=[(2, 3)])
def test_breaks(model, x):
    return model(x)
"""
COV = ("--cov=model", "--cov-report=json:coverage.json")


def executed(project: Project) -> list[int]:
    data = json.loads((project.path / "coverage.json").read_text("utf-8"))
    lines: list[int] = data["files"]["model.py"]["executed_lines"]
    return lines


@pytest.mark.slow
def test_the_counts_are_the_same_and_eager_lines_are_measured(project: Project) -> None:
    project.file("model.py", MODEL)
    project.file("pytest.ini", "[pytest]\npythonpath = .\n")
    project.tests(SUITE)
    outcomes = {"passed": 1, "failed": 1}
    plain = without_times(project.report_apart(outcomes=outcomes))
    assert len(plain["contracts"]) == 2
    project.beside = ("pytest_cov",)
    for workers in ([], ["-n2"]):
        report = project.report_apart(*COV, *workers, outcomes=outcomes)
        assert without_times(report) == plain
        # The fixture calls `prepared` as it is; compiled code is no line that runs.
        assert {9, 10, 12} <= set(executed(project))
        assert 11 not in executed(project)
    project.run_apart(*COV, check=False).assert_outcomes(passed=2)
    assert executed(project) == [1, 3, 4, 5, 6, 7, 9, 10, 12]
