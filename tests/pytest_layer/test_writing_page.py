"""What the page on writing contracts shows is what happens."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from pytest_compilecheck import Observation, spec, trace_file
from pytest_compilecheck.contract.faults import Place
from pytest_compilecheck.contract.model import Contract
from pytest_compilecheck.contract.read import read_contract
from pytest_layer.pages import written
from pytest_layer.projects import Project

GENERATES = """
import pytest
import torch

@torch.compile(backend="eager")
def step(x):
    return x + 1

class Model:
    def generate(self, prompt, max_new_tokens):
        for _ in range(max_new_tokens):
            prompt = step(prompt)
        return prompt

@pytest.fixture
def model():
    return Model()

@pytest.fixture
def prompt():
    return torch.zeros(3)
"""


@pytest.fixture
def page(project: Project) -> dict[str, str]:
    """The blocks of the page; its files are written, but for the settings."""
    found = written("writing-contracts.md", project)
    (project.path / "pytest.ini").unlink()
    return found


def read(line: str, project: Project) -> Contract:
    """The contract with the fields of a line, in a test of the project."""
    fields: dict[str, Any] = eval(f"dict({line}\n)", {"spec": spec, "trace_file": trace_file})
    return read_contract(
        [(fields, Place(str(project.path / "test_it.py"), 1, "@compile_contract"))],
        subject="test_it",
        arguments=["x"] if isinstance(fields.get("shapes"), list) else None,
        fixtures=None,
        compile_keywords=None,
        torch_version=None,
    )


def test_the_traces(project: Project, page: dict[str, str]) -> None:
    steps = [len(read(line, project).trace.steps) for line in page["traces"].splitlines()]
    assert steps == [2, 2, 2, 3]


def test_sizes_of_real_requests(project: Project, page: dict[str, str]) -> None:
    trace = read(page["requests"].strip(), project).trace
    assert [(step.dims, step.weight) for step in trace.steps] == [
        ({"B": 1, "S": 128}, 3021),
        ({"B": 8, "S": 512}, 77),
    ]


def test_an_exception(project: Project, page: dict[str, str]) -> None:
    (rule,) = read(page["accept"], project).allow_breaks
    assert rule.describe() == "graph break GB0059 in models/*.py"


def test_a_watch_without_pytest(page: dict[str, str]) -> None:
    given = {"torch": torch, "train_step": lambda batch: batch + 1, "batches": [torch.ones(2)]}
    exec(page["watch"], given)
    assert isinstance(given["seen"].observation, Observation)
    assert len(given["seen"].observation.timeline) == 1


@pytest.mark.usefixtures("page")
def test_code_that_compiles_itself(project: Project) -> None:
    project.file("conftest.py", GENERATES)
    project.run("test_generate.py").assert_outcomes(passed=1)


def test_the_settings(project: Project, page: dict[str, str]) -> None:
    project.file("pytest.ini", page["file=pytest.ini"])
    project.tests("@compile_contract(shapes=[(2, 3)])\ndef test_it(x):\n    return x + 1\n")
    (contract,) = project.report("test_it.py", outcomes={"passed": 1})["contracts"]
    assert contract["contract"]["max_recompiles"] == 1
    assert contract["contract"]["backend"] == "inductor"
