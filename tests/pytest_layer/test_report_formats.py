"""--compilecheck-report: reports in formats by name, those of plugins too."""

from __future__ import annotations

import json

import pytest
from report.test_installed_formats import install

from pytest_layer.projects import Project, assert_shows

FORMATS = """
import pytest
from pytest_compilecheck import Format

def lines(report):
    return "".join(f"{each.outcome} {each.id}\\n" for each in report.contracts)

def failing(report):
    raise ValueError("not today")

def pytest_compilecheck_formats():
    print("asked for formats")
    return {"lines": Format("one line each", lines), "failing": Format("fails", failing),
            "nothing": Format("gives none", lambda report: None)}
"""


@pytest.fixture
def suite(project: Project) -> Project:
    """A contract that holds, and three formats."""
    project.file("conftest.py", FORMATS)
    project.tests("@compile_contract(shapes=[(2, 3)])\ndef test_it(x):\n    return x.sin()\n")
    return project


def test_formats_by_name(suite: Project) -> None:
    result = suite.run("--compilecheck-report=lines:a.txt", "--compilecheck-report=json:b/b.json")
    assert result.ret == 0
    assert_shows(result, "compilecheck: report written to *a.txt", "written to *b.json")
    assert (suite.path / "a.txt").read_text() == "passed test_it.py::test_it\n"
    assert json.loads((suite.path / "b/b.json").read_text())["complete"]


def test_the_ini_twin_has_a_line_each(suite: Project) -> None:
    twin = "[pytest]\ncompilecheck_report =\n    lines: a.txt\n    json:b.json\n"
    suite.file("pytest.ini", twin)
    suite.run()
    assert (suite.path / "a.txt").exists()
    assert (suite.path / "b.json").exists()


@pytest.mark.slow
def test_workers_of_xdist_write_none(suite: Project) -> None:
    suite.run_apart("-n1", "--compilecheck-report=lines:a.txt").assert_outcomes(passed=1)
    assert (suite.path / "a.txt").read_text() == "passed test_it.py::test_it\n"


def test_an_audit_writes_them_too(suite: Project) -> None:
    suite.run("--compilecheck-audit", "--compilecheck-report=lines:a.txt", check=False)
    assert (suite.path / "a.txt").read_text() == ""


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("failing", "the failing report could not be made: ValueError: not today (*conftest.py:8)"),
        (
            "nothing",
            "the nothing report could not be made: TypeError: the renderer * (*conftest.py:13)",
        ),
    ],
)
def test_a_renderer_that_fails_fails_the_run_and_no_other_report(
    suite: Project, name: str, told: str
) -> None:
    reports = [f"--compilecheck-report={name}:x.txt", "--compilecheck-report=lines:a.txt"]
    result = suite.run(*reports)
    result.assert_outcomes(passed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert_shows(result, told)
    assert_shows(result, "*1 passed, 1 unwritten report in *")
    assert (suite.path / "a.txt").exists()
    assert not (suite.path / "x.txt").exists()


def test_plugins_that_look_into_all_reports_find_nothing_strange(suite: Project) -> None:
    suite.beside = ("hypothesispytest",)
    result = suite.run("--compilecheck-report=failing:x.txt")
    assert_shows(result, "*1 passed, 1 unwritten report in *")


def test_the_last_line_of_a_run_without_a_report_is_not_green(suite: Project) -> None:
    reports = [f"--compilecheck-report={name}:{name}.txt" for name in ("failing", "nothing")]
    result = suite.run("--color=yes", *reports)
    assert "\x1b[33m\x1b[1m2 unwritten reports\x1b[0m" in result.outlines[-1]
    assert result.outlines[-1].startswith("\x1b[33m====")


@pytest.mark.parametrize(
    ("reports", "message"),
    [
        (["line:a"], "there is no report format 'line' (did you mean 'lines'?)"),
        (["xyz:a"], "there is no report format 'xyz' (known are *failing, *json, *lines, *nothing"),
        (["json"], "expected NAME:PATH, got 'json'"),
        (["json:"], "expected NAME:PATH, got 'json:'"),
        ([":a"], "expected NAME:PATH, got ':a'"),
        (["json:a", "json:b"], "json is asked for twice: leave one out"),
    ],
)
def test_what_cannot_be_written_ends_the_run_at_once(
    suite: Project, reports: list[str], message: str
) -> None:
    result = suite.run(*(f"--compilecheck-report={each}" for each in reports))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(f"ERROR: --compilecheck-report: {message.replace('[', '?')}*")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("raise ValueError('x')", "conftest.py raised in its pytest_compilecheck_formats: ValueE"),
        ("return ['lines']", "pytest_compilecheck_formats gave *, and no dict of names to Format"),
        ("return {'lines': len}", "pytest_compilecheck_formats gave * for 'lines', and no Format"),
        (
            "from pytest_compilecheck import Format; return {'json': Format('', len)}",
            "*gave the format 'json', which there is already: choose another name",
        ),
    ],
)
def test_mistakes_of_a_plugin(project: Project, body: str, message: str) -> None:
    project.file("conftest.py", f"def pytest_compilecheck_formats():\n    {body}\n")
    project.tests("def test_it(): pass")
    result = project.run("--compilecheck-report=lines:a")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(f"ERROR: --compilecheck-report: the plugin *{message}*")


def test_nobody_is_asked_where_the_formats_are_built_in(suite: Project) -> None:
    result = suite.run("-s", "--compilecheck-report=json:a.json")
    result.stdout.no_fnmatch_line("*asked for formats*")


def test_a_format_of_a_package_that_has_a_name_of_ours_is_told(
    suite: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(suite.path, "acme-reports")  # which declares json too
    monkeypatch.syspath_prepend(suite.path)
    result = suite.run("--compilecheck-report=json:a.json")
    assert result.ret == 0
    assert json.loads((suite.path / "a.json").read_text())["complete"]
    assert_shows(
        result, "the package acme-reports declares a report format 'json', which is never*"
    )
    suite.run().stdout.no_fnmatch_line("*acme-reports*")


def test_it_needs_contracts(suite: Project) -> None:
    result = suite.run("--compilecheck-report=json:a", check=False)
    message = "ERROR: --compilecheck-report has no effect without --compilecheck*"
    result.stderr.fnmatch_lines(message)
