"""Settings that would be dropped without a word are refused."""

from __future__ import annotations

import os

import pytest

from pytest_layer.projects import Project

PASSES = "@compile_contract(shapes=[(2, 3)])\ndef test_it(x):\n    return x + 1\n"


def refused(project: Project, told: str, *arguments: str) -> None:
    result = project.run(*arguments)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f"ERROR: {told}" in result.errlines


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            ("--compilecheck-json=same.out", "--compilecheck-html=same.out"),
            "the json report and the html report have one path, {0}/same.out",
        ),
        (
            ("--compilecheck-sarif=same.out", "--compilecheck-report=json:./new/../same.out"),
            "the sarif report and the json report have one path, {0}/new/../same.out",
        ),
        (
            ("--compilecheck-json=same.out", "--compilecheck-baseline=link.out"),
            "the json report and the baseline have one path, {0}/link.out",
        ),
    ],
)
def test_two_files_of_one_path(project: Project, arguments: tuple[str, ...], told: str) -> None:
    (project.path / "link.out").symlink_to("same.out")
    refused(project, f"{told.format(project.path)}: give each its own", *arguments)
    assert not (project.path / "same.out").exists()


def test_one_path_of_the_ini_file_and_of_the_command_line(project: Project) -> None:
    project.file("pytest.ini", "[pytest]\ncompilecheck_json = same.out\n")
    told = f"the json report and the html report have one path, {project.path}/same.out"
    refused(project, f"{told}: give each its own", "--compilecheck-html=same.out")


def test_what_is_no_file_takes_several_reports(project: Project) -> None:
    project.tests(PASSES)
    reports = (f"--compilecheck-{name}={os.devnull}" for name in ("json", "html"))
    project.run(*reports).assert_outcomes(passed=1)


def test_a_default_that_is_there_twice(project: Project) -> None:
    lines = "max_recompiles = 1\n  max_graph_breaks = 0\n  max_recompiles = 0"
    project.file("pytest.ini", f"[pytest]\ncompilecheck_defaults =\n  {lines}\n")
    refused(project, "compilecheck_defaults: 'max_recompiles' is there twice: leave one out")


@pytest.mark.parametrize("value", ["", " "])
@pytest.mark.parametrize(
    "option",
    [
        "--compilecheck-json",
        "--compilecheck-backend",
        "--compilecheck-baseline",
        "--compilecheck-update",
        "--compilecheck-annotations",
        "--compilecheck-top",
    ],
)
def test_an_option_without_a_value(project: Project, option: str, value: str) -> None:
    refused(
        project,
        f"{option} has an empty value, as a variable of the shell has that is not set: give it"
        " one, or leave the option out",
        f"{option}={value}",
    )


def test_an_empty_key_of_the_ini_file_is_none(project: Project) -> None:
    """The one way to take back what the file has, by `-o`."""
    project.file("pytest.ini", "[pytest]\ncompilecheck_json = report.json\n")
    project.tests(PASSES)
    project.run("-o", "compilecheck_json=").assert_outcomes(passed=1)
    assert not (project.path / "report.json").exists()


@pytest.mark.parametrize("option", ["-seconds=1", "-timeout=9", "-inprocess"])
def test_an_option_of_policies_without_policies(project: Project, option: str) -> None:
    name = f"--compilecheck-policies{option}"
    refused(
        project,
        f"{name.partition('=')[0]} has no effect without --compilecheck-policies: add it",
        name,
    )
    project.file("pytest.ini", "[pytest]\ncompilecheck_policies = true\n")
    project.tests(PASSES)
    project.run(name).assert_outcomes(passed=1)


def test_a_job_may_always_let_a_baseline_be_written(project: Project) -> None:
    project.tests(PASSES)
    project.run("--compilecheck-update-in-ci").assert_outcomes(passed=1)
