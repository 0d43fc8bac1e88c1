"""`compilecheck policies`, from the command line to its report."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pytest_compilecheck.commands import target_options

MODELS = """\
from torch import nn


class MLP(nn.Module):
    def __init__(self, width=4):
        super().__init__()
        self.linear = nn.Linear(width, width)

    def forward(self, x):
        return self.linear(x).relu()
"""
TEST = """\
from pytest_compilecheck import compile_contract


@compile_contract(shapes={"x": "S"}, dims={"S": [5, 6]}, max_recompiles=None, policies=["auto"])
def test_double(x):
    return x * 2
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "models.py").write_text(MODELS, encoding="utf-8")
    (tmp_path / "test_it.py").write_text(TEST, encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\n", encoding="utf-8")
    return tmp_path


def run(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    code = "import sys; from pytest_compilecheck.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", code, "policies", *arguments]
    environment = {**os.environ, "PYTEST_ADDOPTS": "-p no:randomly"}
    return subprocess.run(
        command, cwd=project, env=environment, capture_output=True, text=True, check=False
    )


def runs_of(file: Path) -> dict[str, Any]:
    (record,) = json.loads(file.read_text("utf-8"))["contracts"]
    return {each["policy"]: each for each in record["policies"]["runs"]}


MODEL = ("models:MLP", "--inputs", "x=B S 4", "--dims", "B=2", "S=5,6,7", "--backend", "eager")


@pytest.mark.slow
def test_policies_of_a_model_are_compared(project: Path) -> None:
    chosen = ("--policies", "static", "[8, 16]", "{bucket: pow2, label: padded}")
    done = run(project, *MODEL, *chosen, "-o", "report.json", "--markdown", "report.md")
    assert done.returncode == 0, done.stdout + done.stderr
    runs = runs_of(project / "report.json")
    assert {name: (each["error"], each["variants"]) for name, each in runs.items()} == {
        "static": ("", 3),
        "buckets(8, 16)": ("", 1),
        "padded": ("", 1),
    }
    assert "policy 3 of 3, padded: measured in" in done.stdout
    assert "buckets(8, 16)" in (project / "report.md").read_text("utf-8")
    names = {"models.py", "test_it.py", "pytest.ini", "report.json", "report.md"}
    assert {each.name for each in project.iterdir()} - names <= {".pytest_cache", "__pycache__"}


@pytest.mark.slow
def test_a_contract_has_its_own_policies_unless_others_are_named(project: Path) -> None:
    target = ("test_it.py::test_double", "-o", "report.json", "--inprocess", "-q")
    assert run(project, *target).returncode == 0
    assert list(runs_of(project / "report.json")) == ["auto"]
    done = run(project, *target, "--policies", "dynamic", "marked")
    assert done.returncode == 0
    assert "policy 1 of 2" not in done.stdout
    assert list(runs_of(project / "report.json")) == ["dynamic", "marked"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nowhere.py::test_it"], "nowhere.py::test_it: no such file, and no package.module:attr"),
        (["models.MLP"], "models.MLP: no such file, and no package.module:attr"),
        (
            ["test_it.py::test_double", "--dims", "S=3"],
            "--dims is for a model, and test_it.py::test_double is a contract already",
        ),
        (
            ["test_it.py::test_double", "--name", "mine"],
            "--name is for a model, and test_it.py::test_double is a contract already",
        ),
        (["models:MLP", "--policies", "[128,"], "--policies: '[128,' is no YAML such as"),
    ],
)
def test_what_is_wrong_with_the_options_is_told(
    project: Path, arguments: list[str], told: str
) -> None:
    done = run(project, *arguments)
    assert done.returncode == 2
    assert done.stderr.startswith(f"compilecheck: {told}")


def test_each_option_of_a_model_is_refused_for_a_contract() -> None:
    parser = argparse.ArgumentParser(add_help=False)
    target_options.add_target_options(parser)
    assert {each.dest for each in parser._actions} == set(target_options.TARGET_OPTIONS)


@pytest.mark.slow
def test_policies_that_are_none_fail_the_contract(project: Path) -> None:
    done = run(project, "test_it.py::test_double", "--policies", "statik")
    assert done.returncode == 1
    assert "policies[0]: 'statik' is no policy (did you mean 'static'?)" in done.stdout
