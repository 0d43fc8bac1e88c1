"""--compilecheck-policies, from the command line to the report."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_layer.projects import Project, assert_shows

_MODEL = """
    @pytest.fixture
    def model():
        return torch.nn.Linear(4, 4).requires_grad_(False)

    @compile_contract(
        compiles="model",
        max_recompiles=None,
        shapes={"x": "B S 4"},
        dims={"B": 2, "S": [5, 6, 7]},
        policies=["static", "pow2"],
    )
    def test_model(model, x):
        assert model(x).shape == x.shape
"""


_MEASURED = ("--compilecheck-policies", "--compilecheck-policies-seconds=0.1")

_HERE = (*_MEASURED, "--compilecheck-policies-inprocess")


def runs_of(report: dict[str, Any]) -> dict[str, dict[str, Any]]:
    (record,) = report["contracts"]
    return {run["policy"]: run for run in record["policies"]["runs"]}


@pytest.mark.slow
def test_each_policy_is_measured_in_a_process_of_its_own(project: Project) -> None:
    project.tests(_MODEL)
    project.file(
        "conftest.py",
        """
        import os
        def pytest_configure():
            with open("processes.txt", "a") as file:
                file.write(f"{os.getpid()}\\n")
        """,
    )
    result = project.run(*_MEASURED, "--compilecheck-json=report.json")
    result.assert_outcomes(passed=1)
    assert_shows(
        result,
        "policies compared",
        "policy 1 of 2, static: measured in",
        "policy 2 of 2, pow2: measured in",
        "shape policies",
    )
    runs = runs_of(project.read_report())
    assert [call["kind"] for call in runs["static"]["calls"]] == [
        "compile",
        "recompile",
        "recompile",
    ]
    assert [call["kind"] for call in runs["pow2"]["calls"]] == ["compile", "hit", "hit"]
    assert (runs["pow2"]["elements"], runs["static"]["elements"]) == (192, 144)
    assert all(run["error"] == run["mismatch"] == "" for run in runs.values())
    assert all(run["peak_memory"] > 0 for run in runs.values())
    processes = (project.path / "processes.txt").read_text("utf-8").split()
    assert len(set(processes)) == 3


def test_nothing_is_measured_unless_it_is_asked_for(project: Project) -> None:
    project.tests(_MODEL)
    (record,) = project.report(outcomes={"passed": 1})["contracts"]
    assert record["policies"] is None


@pytest.mark.slow
def test_in_one_process_memory_is_not_known(project: Project) -> None:
    project.tests(_MODEL)
    runs = runs_of(project.report(*_HERE, "-q"))
    for run in runs.values():
        assert (run["error"], run["peak_memory"], run["memory_steps"]) == ("", None, [])
        assert all(call["memory"] is None for call in run["calls"])
        assert len(run["warm"]) == 3


@pytest.mark.slow
def test_a_quiet_run_tells_no_progress(project: Project) -> None:
    project.tests(_MODEL)
    result = project.run(*_HERE, "-q")
    assert result.ret == 0
    result.stdout.no_fnmatch_line("*policy 1 of 2*")


@pytest.mark.slow
def test_a_process_that_dies_is_told_and_stops_no_other(project: Project) -> None:
    project.tests(
        """
        import os

        def backend(gm, inputs):
            if os.environ.get("COMPILECHECK_POLICY_REQUEST") and inputs[0].shape[0] == 8:
                print("the backend gives up", flush=True)
                os.kill(os.getpid(), 9)
            return gm.forward

        @compile_contract(
            max_recompiles=None,
            backend=backend,
            shapes={"x": "S"},
            dims={"S": [5, 6]},
            policies=["pow2", "static"],
        )
        def test_it(x):
            return x + 1
        """
    )
    runs = runs_of(project.report(*_MEASURED, "-s", outcomes={"passed": 1}))
    assert runs["pow2"]["error"].startswith("its process was ended by SIGKILL")
    assert runs["static"]["error"] == ""


@pytest.mark.slow
def test_what_the_test_raises_under_a_policy_is_told(project: Project) -> None:
    project.tests(
        """
        @compile_contract(
            max_recompiles=None,
            shapes={"x": "S"},
            dims={"S": [5, 6]},
            policies=["static", "pow2"],
        )
        def test_it(x):
            assert x.shape[0] < 8, "too long"
            return x + 1
        """
    )
    runs = runs_of(project.report(*_HERE, outcomes={"passed": 1}))
    assert runs["static"]["error"] == ""
    # torch 2.8 leaves out the message of an assert; its line has it.
    raised = {"too long", 'assert x.shape[0] < 8, "too long"'}
    assert runs["pow2"]["error"].removeprefix("step 1 of 2 (S=5) raised AssertionError: ") in raised


@pytest.mark.slow
def test_outputs_that_padding_changes_are_told(project: Project) -> None:
    project.tests(
        """
        @compile_contract(
            max_recompiles=None,
            shapes={"x": "S"},
            dims={"S": [5, 6]},
            policies=["pow2"],
        )
        def test_it(x):
            return x - x.mean()
        """
    )
    runs = runs_of(project.report(*_HERE, outcomes={"passed": 1}))
    assert runs["pow2"]["mismatch"].startswith("output: Mismatched elements: 5 / 5")
    assert runs["pow2"]["mismatch"].endswith("(step 0: S=5)")


def test_a_process_that_takes_too_long_is_ended(project: Project) -> None:
    project.tests(_MODEL)
    runs = runs_of(project.report(*_MEASURED, "--compilecheck-policies-timeout=0.3"))
    assert runs["static"]["error"] == (
        "its process was ended after 0.3 s: --compilecheck-policies-timeout gives it more"
    )


def test_a_timeout_is_a_number(project: Project) -> None:
    project.tests(_MODEL)
    result = project.run(*_MEASURED, "--compilecheck-policies-timeout=soon")
    assert_shows_error(result, "*policies-timeout=soon: a number of seconds is needed*")
    result = project.run("--compilecheck-policies", "--compilecheck-policies-seconds=0")
    assert_shows_error(result, "*policies-seconds=0: a number of seconds is needed, such as 5")


def assert_shows_error(result: pytest.RunResult, pattern: str) -> None:
    result.stderr.fnmatch_lines([pattern])


@pytest.mark.slow
def test_the_process_has_the_options_and_the_imports_of_the_run(project: Project) -> None:
    project.file("lib/mine.py", "def twice(x):\n    return x * 2\n")
    project.file(
        "conftest.py",
        """
        import sys
        from pathlib import Path
        sys.path.insert(0, str(Path(__file__).parent / "lib"))

        def pytest_addoption(parser):
            parser.addoption("--width", type=int, default=1)
        """,
    )
    project.file("pytest.ini", "[pytest]\naddopts = --width=3 --junitxml=run.xml\n")
    project.tests(
        """
        import mine

        @pytest.fixture
        def width(request):
            return request.config.getoption("--width")

        @compile_contract(
            max_recompiles=None, shapes={"x": "S 3"}, dims={"S": [5, 6]}, policies=["static"]
        )
        def test_it(x, width):
            assert width == 3
            return mine.twice(x)
        """
    )
    result = project.run_apart(*_MEASURED, "--compilecheck-json=report.json")
    result.assert_outcomes(passed=1)
    assert runs_of(project.read_report())["static"]["error"] == ""
    assert "test_it" in (project.path / "run.xml").read_text("utf-8")


@pytest.mark.slow
def test_contracts_in_files_and_on_library_code_are_compared(project: Project) -> None:
    project.file(
        "library.py",
        """
        import torch
        from pytest_compilecheck import compile_contract

        @compile_contract(
            max_recompiles=None, shapes={"x": "S"}, dims={"S": [5, 6]}, policies=["pow2"]
        )
        def double(x):
            return x * 2
        """,
    )
    project.file(
        "contracts/linear.contract.yaml",
        """
        version: 1
        contracts:
          linear:
            target: torch.nn:Linear
            arguments: {in_features: 4, out_features: 4}
            inputs: {input: "S 4"}
            dims: {S: [5, 6]}
            max_recompiles: null
            policies: [pow2]
        """,
    )
    project.file("pytest.ini", "[pytest]\npythonpath = .\ncompilecheck_modules = library\n")
    report = project.report_apart(*_MEASURED, outcomes={"passed": 2})
    for record in report["contracts"]:
        (run,) = record["policies"]["runs"]
        assert (run["error"], run["mismatch"], run["variants"]) == ("", "", 1)


@pytest.mark.slow
def test_workers_of_xdist_measure_and_the_header_says_that_it_is_noisy(project: Project) -> None:
    project.tests(_MODEL)
    result = project.run_apart("-n", "1", *_MEASURED, "--compilecheck-json=report.json")
    result.assert_outcomes(passed=1)
    assert_shows(result, "policies compared (tests run in several processes")
    runs = runs_of(project.read_report())
    assert [run["error"] for run in runs.values()] == ["", ""]


@pytest.mark.slow
def test_a_bound_on_the_policy_is_judged(project: Project) -> None:
    project.tests(
        """
        import time

        def backend(gm, inputs):
            time.sleep(1.0)
            return gm.forward

        @compile_contract(
            max_recompiles=None,
            backend=backend,
            shapes={"x": "S"},
            dims={"S": [5, 6, 7]},
            policies=["static", "pow2"],
            preferred_policy="static",
        )
        def test_it(x):
            return x + 1
        """
    )
    (record,) = project.report(*_HERE, outcomes={"failed": 1})["contracts"]
    assert [violation["bound"] for violation in record["violations"]] == ["preferred_policy"]
    assert record["policies"]["choice"]["preferred"] == "pow2"
