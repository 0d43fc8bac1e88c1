"""What a contract runs: the trace, twice and compiled with the flag, once and eagerly without."""

from __future__ import annotations

import json
from typing import Any

import pytest
import torch

from pytest_layer.projects import Project

LOG = """
import json
import pathlib

def log(*values):
    with pathlib.Path("log.jsonl").open("a") as file:
        file.write(json.dumps(values) + "\\n")

@pytest.fixture
def model():
    return torch.nn.ReLU()
"""


def logged(project: Project) -> list[Any]:
    path = project.path / "log.jsonl"
    values = [json.loads(line) for line in path.read_text().splitlines()]
    path.unlink()
    return values


def test_the_trace_runs_once_without_the_flag_and_twice_with_it(project: Project) -> None:
    project.tests(
        LOG
        + """
@compile_contract(shapes=[(2, 3), (4, 3)], compiles="model", max_recompiles=1)
def test_it(model, x):
    log(list(x.shape), x.sum().item(), torch.rand(1).item())
    model(x)
"""
    )
    project.run(check=False).assert_outcomes(passed=1)
    eager = logged(project)
    assert [shape for shape, *_ in eager] == [[2, 3], [4, 3]]
    project.run().assert_outcomes(passed=1)
    assert logged(project) == eager * 2
    project.run(check=False).assert_outcomes(passed=1)
    assert logged(project) == eager


@pytest.mark.slow
def test_what_is_compiled(project: Project) -> None:
    project.tests(
        LOG
        + """
@pytest.fixture
def function():
    def function(x):
        log("function", torch.compiler.is_compiling())
        return x.relu() + 1
    return function

def is_compiling(x):
    return torch.full((), torch.compiler.is_compiling())

@compile_contract(shapes=[(2, 3)])
def test_the_function(x):
    assert torch.compiler.is_compiling() == pytest.compiled
    return x + 1

@compile_contract(compiles="model", shapes=[(2, 3)])
def test_a_module(model, x):
    assert not torch.compiler.is_compiling()
    assert isinstance(model, torch.nn.Module)
    assert model(x).min().item() >= 0
    print("not compiled")

@compile_contract(compiles="made", shapes=[(2, 3)])
@pytest.mark.parametrize("made", [is_compiling])
def test_a_function(made, x):
    assert made(x).item() == pytest.compiled

@compile_contract(compiles=["model", "made"], shapes=[(2, 3)], max_graphs=2)
@pytest.mark.parametrize("made", [is_compiling])
def test_several(model, made, x):
    assert made(model(x)).item() == pytest.compiled

@compile_contract(compiles="model", shapes={"x": (2, 3)})
def test_a_default(x, model=torch.nn.Linear(3, 3)):
    model(x)

@compile_contract(watch_only=True)
def test_watched(model):
    torch.compile(model, backend="eager")(torch.ones(3))
"""
    )
    for check in (True, False):
        project.file("conftest.py", f"import pytest\npytest.compiled = {check}")
        project.run(check=check).assert_outcomes(passed=6)
    project.file("conftest.py", "import pytest\npytest.compiled = True")
    graphs = [each["observed"]["graphs"] for each in project.report()["contracts"]]
    assert graphs == [1, 1, 1, 2, 1, 1]


def test_an_ordinary_body_has_rewritten_asserts(project: Project) -> None:
    project.tests(
        LOG
        + """
@compile_contract(compiles="model", shapes=[(2, 3)])
def test_it(model, x):
    y = model(x)
    assert y.shape == (2, 4), "message"
"""
    )
    for check in (True, False):
        result = project.run(check=check)
        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines(
            [">*assert y.shape == (2, 4), *", "E *message", "E *torch.Size([[]2, 3]) == (2, 4)"]
        )


def test_without_the_flag_a_failing_assert_shows_values(project: Project) -> None:
    project.tests(
        """
        @compile_contract(shapes=[(2, 3), (4, 3)], max_recompiles=1)
        def test_it(x):
            assert x.shape[0] == 2
            return x + 1
        """
    )
    result = project.run(check=False)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines("E *assert 4 == 2")


def test_what_is_to_be_compiled_cannot_be(project: Project) -> None:
    project.tests(
        """
        @compile_contract(compiles="model", shapes=[(2, 3)])
        @pytest.mark.parametrize("model", [3, None])
        def test_it(model, x):
            pass
        """
    )
    result = project.run()
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines("compiles='model': *of type int, and torch.compile takes a module*")
    result.stdout.no_fnmatch_line("*Traceback*")


def test_the_seed_and_threads_of_a_contract(project: Project) -> None:
    project.tests(
        LOG
        + """
@compile_contract(compiles="model", shapes=[(2, 3)], seed=3, threads=2, passes=1)
def test_it(model, x):
    log(x.sum().item(), torch.rand(1).item(), torch.get_num_threads())
    model(x)

def test_after():
    log(torch.get_num_threads())
"""
    )
    threads = torch.get_num_threads()
    project.run().assert_outcomes(passed=2)
    (total, drawn, used), (after,) = logged(project)
    assert (used, after) == (2, threads)
    project.run(check=False).assert_outcomes(passed=2)
    assert logged(project)[0] == [total, drawn, 2]
