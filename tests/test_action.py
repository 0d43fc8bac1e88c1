"""action.yml: what it declares is what it uses, and its script runs pytest as it says."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from pytest_compilecheck.pytest_layer.options import OPTIONS

FILE = Path(__file__).parents[1] / "action.yml"
ACTION: dict[str, Any] = yaml.safe_load(FILE.read_text("utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
SCRIPTS = [step["run"] for step in STEPS if "run" in step]

PYTHON = """\
#!{python}
import json, os, sys
sys.argv.remove("-m")
open("arguments.json", "w").write(json.dumps(sys.argv[1:]))
written = os.environ.get("WRITTEN")
if written:
    open(written, "w").write("log")
sys.exit(int(os.environ["STATUS"]))
"""


def test_inputs_that_are_used_are_declared_and_the_other_way_round() -> None:
    used = set(re.findall(r"inputs\.([\w-]+)", FILE.read_text("utf-8")))
    assert used == set(ACTION["inputs"])
    assert all(given["description"] for given in ACTION["inputs"].values())
    steps = {step["id"] for step in STEPS if "id" in step}
    assert set(re.findall(r"steps\.(\w+)\.", FILE.read_text("utf-8"))) <= steps


def test_no_script_is_put_together_from_what_a_caller_writes() -> None:
    assert SCRIPTS
    assert [script for script in SCRIPTS if "${{" in script] == []
    assert all(step["shell"] == "bash" for step in STEPS if "run" in step)


def test_every_option_that_it_gives_is_there() -> None:
    named = set(re.findall(r"--compilecheck[\w-]*", "".join(SCRIPTS)))
    assert named <= {option.name for option in OPTIONS}


def run(
    folder: Path, *, status: int = 0, written: str = "", **inputs: str
) -> tuple[int, list[str], str]:
    """Run the script with such inputs; its status, the arguments of Python, and its outputs."""
    program = folder / "a python"
    program.write_text(PYTHON.format(python=sys.executable))
    program.chmod(0o755)
    outputs = folder / "outputs"
    outputs.touch()
    given = {name: each["default"] for name, each in ACTION["inputs"].items()}
    given |= {"python": str(program), **inputs}
    environment = {
        name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda found: given[found[1]], text)
        for name, text in STEPS[0]["env"].items()
    }
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", STEPS[0]["run"]],
        cwd=folder,
        env={
            **os.environ,
            **environment,
            "GITHUB_OUTPUT": str(outputs),
            "STATUS": str(status),
            "WRITTEN": written,
        },
        check=False,
    )
    return done.returncode, json.loads((folder / "arguments.json").read_text()), outputs.read_text()


def test_what_it_runs_by_default(tmp_path: Path) -> None:
    status, arguments, _ = run(tmp_path)
    assert status == 0
    assert arguments == [
        "pytest",
        "--compilecheck",
        "--compilecheck-json=compilecheck.json",
        "--compilecheck-sarif=compilecheck.sarif",
    ]


def test_what_it_runs_with_every_input(tmp_path: Path) -> None:
    args = "tests\n-n\n2\n\n-k\nnot $(touch injected) `touch injected` 'a b'; touch injected\n"
    names = ("json", "markdown", "html", "sarif", "junit", "baseline")
    reports = {name: f"out/{name} 1" for name in names}
    _, arguments, _ = run(tmp_path, args=args, **reports)
    assert arguments == [
        "pytest",
        "--compilecheck",
        "--compilecheck-baseline=out/baseline 1",
        "--compilecheck-json=out/json 1",
        "--compilecheck-markdown=out/markdown 1",
        "--compilecheck-html=out/html 1",
        "--compilecheck-sarif=out/sarif 1",
        "--junitxml=out/junit 1",
        "tests",
        "-n",
        "2",
        "-k",
        "not $(touch injected) `touch injected` 'a b'; touch injected",
    ]
    assert not (tmp_path / "injected").exists()


def test_without_reports(tmp_path: Path) -> None:
    assert run(tmp_path, json="", sarif="")[1] == ["pytest", "--compilecheck"]


@pytest.mark.parametrize("status", [0, 1, 2, 5])
def test_the_status_is_that_of_pytest(tmp_path: Path, status: int) -> None:
    code, _, outputs = run(tmp_path, status=status, written="compilecheck.sarif")
    assert code == status
    assert outputs == f"status={status}\nwritten=true\n"


def test_a_log_of_an_earlier_step_is_not_uploaded(tmp_path: Path) -> None:
    (tmp_path / "compilecheck.sarif").write_text("old")
    assert run(tmp_path, status=4)[2] == "status=4\n"


def test_the_page_that_was_written_is_an_output(tmp_path: Path) -> None:
    code, arguments, outputs = run(tmp_path, status=1, written="a page.html", html="a page.html")
    assert (code, arguments[-2]) == (1, "--compilecheck-html=a page.html")
    assert outputs == "status=1\npage=true\n"
    value = ACTION["outputs"]["html"]["value"]
    assert "outputs.page == 'true' && format('{0}/{1}', inputs.working-directory, inputs.html)" in (
        value
    )


@pytest.mark.parametrize("html", ["", "page.html"])
def test_a_page_that_was_not_written_now_is_no_output(tmp_path: Path, html: str) -> None:
    (tmp_path / "page.html").write_text("old")
    assert run(tmp_path, status=4, html=html)[2] == "status=4\n"
    assert (tmp_path / "page.html").exists() == (not html)
