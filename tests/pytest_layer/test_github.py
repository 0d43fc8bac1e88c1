"""What a run leaves in GitHub Actions: annotations in the log, the summary of the job."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_compilecheck.pytest_layer.ending.github import LIMIT
from pytest_layer.projects import Project, assert_shows

BREAKS = """
@compile_contract(shapes=[(2, 3)])
def test_breaks(x):
    print()
    return x + 1
"""
ERROR = "::error file=test_it.py,line=6,"


@pytest.fixture
def summary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, project: Project) -> Path:
    """The file of a job's summary, in the environment of GitHub Actions."""
    project.tests(BREAKS)
    path = tmp_path / "summary.md"
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(path))
    monkeypatch.setenv("GITHUB_WORKSPACE", str(project.path))
    return path


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [[], ["-q"], ["-n1"]])
def test_annotations_and_summary(project: Project, summary: Path, arguments: list[str]) -> None:
    result = project.run("--compilecheck-markdown=report.md", *arguments)
    assert [line for line in result.outlines if line.startswith("::")] == [
        line for line in result.outlines if line.startswith(ERROR)
    ]
    assert_shows(result, f"{ERROR}*::test_it.py::test_breaks%0Ahow often")
    assert summary.read_text("utf-8") == (project.path / "report.md").read_text("utf-8")
    assert summary.read_text("utf-8").startswith("## 1 failed of 1 compile contract\n")


def test_what_is_warned_of(project: Project, summary: Path) -> None:
    result = project.run("--compilecheck-warn")
    assert_shows(result, ERROR.replace("error", "warning"))
    assert "| warned | 1/0 |" in summary.read_text("utf-8")


@pytest.mark.usefixtures("summary")
def test_a_rootdir_below_the_checkout(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_WORKSPACE", str(project.path.parent))
    result = project.run()
    assert_shows(result, f"::error file={project.path.name}/test_it.py,line=6,")


@pytest.mark.usefixtures("summary")
@pytest.mark.parametrize(
    ("arguments", "ini", "printed"),
    [
        (["--compilecheck-annotations=never"], "", False),
        ([], "compilecheck_annotations = never", False),
        (["--compilecheck-annotations=auto"], "compilecheck_annotations = never", True),
    ],
)
def test_it_can_be_switched_off(
    project: Project, arguments: list[str], ini: str, printed: bool
) -> None:
    project.file("pytest.ini", f"[pytest]\n{ini}\n")
    result = project.run(*arguments)
    assert any(line.startswith("::error") for line in result.outlines) is printed


def test_elsewhere_only_if_it_is_asked_for(project: Project) -> None:
    project.tests(BREAKS)
    project.run().stdout.no_fnmatch_line("::*")
    assert_shows(project.run("--compilecheck-annotations=always"), ERROR)


def test_without_the_flag_nothing_is_left(project: Project, summary: Path) -> None:
    project.run(check=False).stdout.no_fnmatch_line("::*")
    assert not summary.exists()


def test_an_audit_has_a_summary_and_no_annotations(project: Project, summary: Path) -> None:
    project.run("--compilecheck-audit", check=False).stdout.no_fnmatch_line("::*")
    assert "## Compile audit" in summary.read_text("utf-8")


def test_a_summary_that_cannot_be_written_fails_nothing(
    project: Project, summary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.tests("def test_plain(): pass")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary / "not" / "there"))
    result = project.run()
    assert result.ret == pytest.ExitCode.OK
    assert_shows(result, "compilecheck: the summary of the job could not be written: *not/there")


def test_a_summary_is_appended_to_and_keeps_within_the_limit(
    project: Project, summary: Path
) -> None:
    summary.write_text("before")
    project.run()
    assert summary.read_text("utf-8").startswith("before\n\n## 1 failed of 1 compile contract")
    summary.write_text("x" * (LIMIT - 500))
    project.run()
    assert summary.stat().st_size <= LIMIT
    assert "did not fit in here: --compilecheck-markdown=PATH" in summary.read_text("utf-8")
    full = "x" * (LIMIT - 100)
    summary.write_text(full)
    assert_shows(
        project.run(),
        "compilecheck: the summary of the job has no room for a report: --compilecheck-markdown=*",
    )
    assert summary.read_text() == full


def test_a_choice_that_is_none(project: Project) -> None:
    result = project.run("--compilecheck-annotations=sometimes")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    message = "--compilecheck-annotations=sometimes: choose one of auto, always, never"
    assert_shows_error(result, message)


@pytest.mark.parametrize("rows", ["-1", "many", "1.5", "²"])
def test_a_number_of_rows_that_is_none(project: Project, rows: str) -> None:
    result = project.run(f"--compilecheck-top={rows}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    message = f"--compilecheck-top={rows}: a number of rows is needed, such as 20, or 0 for all"
    assert_shows_error(result, message)


def assert_shows_error(result: pytest.RunResult, message: str) -> None:
    assert f"ERROR: {message}" in result.errlines
