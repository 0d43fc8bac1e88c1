"""Worker processes under the watch: torch.compile's own, and those of a DataLoader."""

from __future__ import annotations

import json
import sys

import pytest

from pytest_layer.projects import Project

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

CHILDREN = """
import os
import json

def children():
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat") as stat:
                    parent = stat.read().rpartition(")")[2].split()[1]
                with open(f"/proc/{name}/cmdline") as line:
                    program = os.path.basename(line.read().split("\\0")[0])
            except OSError:
                continue
            if int(parent) == os.getpid():
                found.append(program)
    return sorted(found)

def pytest_sessionfinish():
    with open("children.json", "w") as file:
        json.dump(children(), file)
"""
POOL = """
import torch._inductor.config as config
from torch._inductor.async_compile import AsyncCompile

@compile_contract(watch_only=True, allow_recompiles=["automatic_dynamic"], passes=1)
def test_it():
    with config.patch(compile_threads=2, worker_start_method="{method}", force_disable_caches=True):
        pool = AsyncCompile.process_pool()
        assert pool.submit(abs, -2).result() == 2
        model = torch.compile(torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU()))
        with torch.no_grad():
            for rows in {rows}:
                model(torch.ones(rows, 8))
        assert pool.submit(abs, -3).result() == 3
"""
LOADER = """
from torch.utils.data import DataLoader, Dataset

ahead = torch.compile(lambda x: x * 2, backend="eager")

class Rows(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return ahead(torch.ones(index % 3 + 2)).sum()  # compiled in the worker

@compile_contract(watch_only=True, passes=1)
def test_it():
    ahead(torch.ones(4))
    model = torch.compile(lambda x: x + 1, backend="eager")
    rows = DataLoader(Rows(), batch_size=4, num_workers=2, multiprocessing_context="fork")
    for _ in range(2):
        for batch in rows:
            assert model(batch).shape == (4,)
"""


def children(project: Project, *arguments: str, check: bool) -> list[str]:
    """What still runs when the tests are over; they must have passed."""
    project.run_apart(*arguments, check=check).assert_outcomes(passed=1)
    found: list[str] = json.loads((project.path / "children.json").read_text("utf-8"))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("method", ["subprocess", "fork"])
def test_workers_of_the_compiler(project: Project, method: str) -> None:
    project.file("conftest.py", CHILDREN)
    project.tests(POOL.format(method=method, rows=(4, 5, 6)))
    watched = children(project, "--compilecheck-json=report.json", check=True)
    observed = project.read_report()["contracts"][0]["observed"]
    assert (observed["graphs"], observed["problems"]) == (2, [])
    kinds = [entry["kind"] for entry in observed["timeline"]]
    assert kinds == ["compile", "recompile", "hit"]
    project.tests(POOL.format(method=method, rows=()))  # the pool alone leaves as much behind
    assert watched == children(project, check=False)


@pytest.mark.slow
def test_workers_of_a_loader(project: Project) -> None:
    project.file("conftest.py", CHILDREN)
    project.tests(LOADER)
    assert children(project, "--compilecheck-json=report.json", check=True) == []
    observed = project.read_report()["contracts"][0]["observed"]
    kinds = [entry["kind"] for entry in observed["timeline"]]
    assert kinds == ["compile", "compile", "hit", "hit", "hit"]
    assert (observed["graphs"], observed["recompiles"], observed["problems"]) == (2, 0, [])
