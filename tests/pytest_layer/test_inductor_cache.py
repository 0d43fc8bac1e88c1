"""Inductor's files of contracts lie apart from those of other processes."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.compiler.config

from pytest_layer.projects import Project, without_times

VARIABLE = "TORCHINDUCTOR_CACHE_DIR"

HEAD = """
import os
import pathlib

def note(name):
    with open(pathlib.Path(__file__).parent / f"{name}.txt", "w") as notes:
        notes.write(os.environ.get("TORCHINDUCTOR_CACHE_DIR", ""))

def backend(graph, inputs):  # any that is not torch's own may hand graphs to Inductor
    return graph.forward

@pytest.fixture
def model():
    note("setup")
    yield torch.nn.ReLU()
    note("teardown")
"""

CONTRACT = """
@compile_contract(compiles="model", shapes=[(2, 3)], backend=backend)
def test_contract(model, x):
    note("contract")
    model(x)
"""


@pytest.fixture
def unset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)


@pytest.fixture
def directory_in(project: Project, unset: None) -> Callable[[str], str]:
    """What was in the variable where a test noted it under this name, "" for nothing."""
    return lambda name: (project.path / f"{name}.txt").read_text("utf-8")


def is_own(directory: str) -> bool:
    return Path(directory).name.startswith("compilecheck-inductor-")


def test_an_interrupted_run_leaves_no_variable_behind(project: Project, unset: None) -> None:
    project.tests(HEAD + CONTRACT.replace("model(x)", "raise KeyboardInterrupt"))
    project.run()
    assert is_own((project.path / "contract.txt").read_text("utf-8"))
    assert not is_own(os.environ.get(VARIABLE, ""))


def test_contracts_that_may_generate_code_share_a_directory_for_the_session(
    project: Project, directory_in: Callable[[str], str]
) -> None:
    project.tests(
        HEAD
        + CONTRACT
        + """
@compile_contract(compiles="function", shapes=[(2, 3)], backend="aot_eager")
def test_aot_eager(x, function=torch.relu):
    note("aot_eager")
    function(x)

@compile_contract(compiles="function", shapes=[(2, 3)])
def test_default(x, function=torch.relu):
    note("default")
    function(x)

@compile_contract(watch_only=True)
def test_watched():
    note("watched")
    torch.compile(torch.relu, backend="eager")(torch.ones(2))

def test_plain():
    note("plain")
"""
    )
    project.run().assert_outcomes(passed=5)
    own = directory_in("contract")
    assert is_own(own)
    assert not Path(own).exists()
    assert {directory_in(name) for name in ("setup", "teardown", "watched")} == {own}
    assert not any(is_own(directory_in(name)) for name in ("aot_eager", "default", "plain"))
    assert not is_own(os.environ.get(VARIABLE, ""))


@pytest.mark.parametrize(
    ("arguments", "own"), [((), False), (("--compilecheck-backend=noting",), True)]
)
def test_the_default_backend_counts(
    project: Project, directory_in: Callable[[str], str], arguments: tuple[str, ...], own: bool
) -> None:
    project.tests(
        HEAD
        + "if 'noting' not in torch._dynamo.list_backends(()):\n"  # once in a process
        + "    torch._dynamo.register_backend(backend, name='noting')\n"
        + CONTRACT.replace(", backend=backend", "")
    )
    project.run(*arguments).assert_outcomes(passed=1)
    assert is_own(directory_in("contract")) is own


def test_without_contracts_being_held_nothing_is_set(
    project: Project, directory_in: Callable[[str], str]
) -> None:
    project.tests(HEAD + CONTRACT)
    project.run(check=False).assert_outcomes(passed=1)
    assert not is_own(directory_in("contract"))


def test_a_contract_that_a_fixture_adds(
    project: Project, directory_in: Callable[[str], str]
) -> None:
    project.tests(
        HEAD
        + """
@pytest.fixture
def added(request):
    request.applymarker(pytest.mark.compile_contract(watch_only=True))

def test_contract(added):
    note("contract")
    torch.compile(torch.relu, backend="eager")(torch.ones(2))
"""
    )
    project.run().assert_outcomes(passed=1)
    assert is_own(directory_in("contract"))


def test_a_directory_that_a_test_sets_for_itself(
    project: Project, directory_in: Callable[[str], str]
) -> None:
    project.tests(
        HEAD
        + """
@pytest.fixture
def mine(monkeypatch, tmp_path):
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path / "mine"))
"""
        + CONTRACT.replace("(model, x)", "(mine, model, x)")
        + """
def test_plain():
    note("plain")
"""
    )
    project.run().assert_outcomes(passed=2)
    assert Path(directory_in("contract")).name == "mine"
    assert not is_own(directory_in("plain"))


TWO = """
@compile_contract(compiles="model", shapes=[(2, 3)], backend=backend)
@pytest.mark.parametrize("number", [0, 1])
def test_contract(model, x, number):
    note(os.environ["PYTEST_XDIST_WORKER"])
    model(x)
"""


@pytest.mark.slow
def test_each_worker_has_a_directory_of_its_own(
    project: Project, directory_in: Callable[[str], str]
) -> None:
    project.tests(HEAD + TWO)
    project.run("-n2").assert_outcomes(passed=2)
    directories = {directory_in("gw0"), directory_in("gw1")}
    assert len(directories) == 2
    assert all(is_own(directory) for directory in directories)
    assert not any(Path(directory).exists() for directory in directories)


@pytest.mark.slow
def test_workers_share_out_a_directory_that_the_user_chose(
    project: Project,
    directory_in: Callable[[str], str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    project.tests(HEAD + TWO + CONTRACT.replace("test_contract", "test_alone"))
    project.run("-n2", "-k", "test_contract").assert_outcomes(passed=2)
    assert directory_in("gw0") == str(tmp_path / "gw0")
    assert directory_in("gw1") == str(tmp_path / "gw1")
    project.run("-k", "test_alone").assert_outcomes(passed=1)
    assert directory_in("contract") == str(tmp_path)
    assert os.environ[VARIABLE] == str(tmp_path)


SIZES = """
from torch._dynamo.utils import counters

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(4, 4)
        self.factor = 2

    def forward(self, x):
        y = self.inner(x) * self.factor
        if y.sum() > 1000:
            y = y + 1
        return y.relu()

@pytest.fixture
def model():
    counters.clear()
    yield Model()
    hits = counters["inductor"]["fxgraph_cache_hit"], counters["aot_autograd"]["autograd_cache_hit"]
    with open("hits.txt", "w") as notes:
        notes.write(repr(max(hits)))

@compile_contract(
    compiles="model", shapes={"x": "B 4"}, dims={"B": [2, 3, 5]}, backend="inductor", backward=True
)
def test_sizes(model, x):
    return model(x).sum()
"""


def observed(project: Project) -> dict[str, Any]:
    project.run_apart("--compilecheck-json=report.json")  # Inductor is not imported twice
    (contract,) = without_times(project.read_report()["contracts"])
    found: dict[str, Any] = contract["observed"]
    return found


@pytest.mark.slow
def test_a_warm_cache_changes_no_figure(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    project.tests(SIZES)
    hits = project.path / "hits.txt"
    cold = observed(project)
    assert hits.read_text("utf-8") == "0"
    assert (cold["graphs"], cold["recompiles"], cold["backward_graphs"]) == (4, 1, 4)
    assert len(cold["break_sites"]) == 1
    warm = observed(project)
    assert int(hits.read_text("utf-8")) > 0
    assert warm == cold


def test_the_profile_of_an_earlier_run_makes_no_size_symbolic(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    project.tests(
        """
        def double(x):
            return x * 2

        @compile_contract(shapes={"x": "B 4"}, dims={"B": [2, 3, 5]}, max_recompiles=1)
        def test_sizes(x):
            return double(x)
        """
    )
    with torch.compiler.config.patch(job_id="nightly"):
        first, second = (project.report()["contracts"][0]["observed"] for _ in range(2))
    assert first["recompiles"] == second["recompiles"] == 1
