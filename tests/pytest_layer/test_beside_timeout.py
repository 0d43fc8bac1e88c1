"""A contract that hangs, under both methods of pytest-timeout."""

from __future__ import annotations

import signal

import pytest

from pytest_layer.projects import Project, assert_shows

HANGS = """
import time

# The first compilation of a process takes long: here it is no part of the limit below.
torch.compile(torch.neg, backend="eager")(torch.ones(2))

class Model(torch.nn.Module):
    def forward(self, x):
        y = x + 1
        wait()
        return y * 2

@torch.compiler.disable
def wait():
    time.sleep(600)

@pytest.mark.timeout(8)
@compile_contract(shapes=[(2, 3)], compiles="model", max_graph_breaks=1)
@pytest.mark.parametrize("model", [Model()])
def test_hangs(model, x):
    model(x)

@compile_contract(shapes=[(2, 3), (4, 3)], max_recompiles=1)
def test_next(x):
    return x + 1
"""
REPORT = "--compilecheck-json=report.json"


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="the method needs SIGALRM")
def test_the_contract_is_stopped_and_the_next_one_is_untouched(project: Project) -> None:
    project.tests(HANGS)
    result = project.run_apart(REPORT, "--timeout-method=signal")
    result.assert_outcomes(passed=1, failed=1)
    report = project.read_report()
    hung, following = report["contracts"]
    assert report["complete"] is True
    assert hung["outcome"] == "failed"
    assert "Timeout" in hung["error"]
    assert [entry["kind"] for entry in hung["observed"]["timeline"]] == ["error"]
    assert (following["outcome"], following["observed"]["recompiles"]) == ("passed", 1)
    assert following["leaks"] == []


@pytest.mark.slow
def test_the_process_is_ended_and_a_new_worker_runs_the_next_one(project: Project) -> None:
    project.tests(HANGS)
    result = project.run_apart(REPORT, "--timeout-method=thread", "-n1")
    result.assert_outcomes(passed=1, failed=1)
    report = project.read_report()
    (following,) = report["contracts"]
    assert (following["id"], following["outcome"]) == ("test_it.py::test_next", "passed")
    assert (report["complete"], len(report["missing"])) == (False, 1)
    assert_shows(result, "incomplete: 1 contract did not run to the end: test_it.py::test_hangs[*")
