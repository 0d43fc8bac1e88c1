"""The report under each way in which xdist hands out tests."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_layer.projects import Project, without_times

SUITE = """
class Model(torch.nn.Module):
    def forward(self, x):
        y = x.relu()
        print("break")
        return y + 1

@pytest.fixture
def model():
    return Model()

@pytest.mark.xdist_group("one")
class TestGrouped:
    @compile_contract(shapes=[(2, 3), (4, 3)])
    def test_recompiles(self, x):
        return x + 1

    @compile_contract(shapes=[(2, 3)])
    def test_breaks(self, model, x):
        return model(x)

@pytest.mark.xdist_group("two")
def test_watches(model, compilecheck):
    with compilecheck.watch(max_graph_breaks=1):
        compilecheck.compile(model)(torch.ones(3))

@compile_contract(shapes=[(2, 3)], allow_breaks=[{"gb_id": "GB0059", "because": "a log"}])
def test_allowed(model, x):
    return model(x)

@pytest.mark.parametrize("size", [2, 3])
@compile_contract(values={"n": [1, 2]})
def test_values(size, n):
    return torch.ones(size) * n
"""


def suite(project: Project) -> dict[str, Any]:
    project.tests(SUITE)
    project.tests(SUITE, name="test_other.py")
    # In a process of its own, as workers are.
    alone: dict[str, Any] = without_times(project.report_apart(outcomes={"passed": 4, "failed": 8}))
    assert len(alone["contracts"]) == 12
    assert alone["complete"] is True
    return alone


WAYS = [(4, "load"), (2, "loadscope"), (2, "loadfile"), (2, "loadgroup"), (2, "worksteal")]


@pytest.mark.slow
def test_workers_give_the_report_of_one_process(project: Project) -> None:
    alone = suite(project)
    for workers, dist in WAYS:
        assert without_times(project.report(f"-n{workers}", f"--dist={dist}")) == alone, dist


@pytest.mark.slow
def test_of_each_worker_the_worst_counts(project: Project) -> None:
    """--dist=each runs every test in every worker: here one meets what the other does not."""
    alone = suite(project)
    assert without_times(project.report("--tx=2*popen", "--dist=each")) == alone
    project.tests(
        """
        import os

        @compile_contract(shapes=[(2, 3)])
        def test_it(x):
            if os.environ["PYTEST_XDIST_WORKER"] == "gw0":
                print("break")
            return x + 1
        """
    )
    project.run("--compilecheck-json=report.json", "--tx=2*popen", "--dist=each", "test_it.py")
    (contract,) = project.read_report()["contracts"]
    assert contract["outcome"] == "failed"
