"""Runs that come to no test: what earlier ones wrote is left as it is."""

from __future__ import annotations

import pytest

from pytest_layer.projects import ONE_OF_TWO_BREAKS, Project, assert_shows

NONE = "no contract was held"
WRITES = ("--compilecheck-json=report.json", "--compilecheck-baseline=baseline.json")
EXIT = """
import pytest

def pytest_collection_modifyitems():
    pytest.exit("enough", returncode={0})
"""

INTERRUPT = "def pytest_collect_file(): raise KeyboardInterrupt"
BOTH = "2 contracts did not run to the end: test_it.py::test_breaks, test_it.py::test_holds"
STOPPED = "the run was stopped"


@pytest.fixture
def written(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project with a report, a baseline and the summary of a job."""
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(project.path / "summary.md"))
    project.tests(ONE_OF_TWO_BREAKS)
    project.run(*WRITES, "--compilecheck-update=new").assert_outcomes(passed=2)
    return project


def files(written: Project) -> dict[str, str]:
    names = ("report.json", "baseline.json", "summary.md")
    found = {name: (written.path / name).read_text("utf-8") for name in names}
    assert all("test_breaks" in text for text in found.values())
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ("--collect-only",),
        ("--fixtures",),
        ("--fixtures-per-test",),
        ("--setup-only",),
        ("--setup-plan",),
        ("--cache-show",),
        ("-n1", "--setup-only"),
        ("--compilecheck-audit", "--fixtures"),
    ],
    ids="".join,
)
def test_what_is_only_shown_writes_and_says_nothing(
    written: Project, arguments: tuple[str, ...]
) -> None:
    before = files(written)
    result = written.run(*WRITES, "--compilecheck-update=all", *arguments)
    assert result.ret == 0
    assert files(written) == before
    for said in ("report written", "incomplete", NONE, "compile audit", "to change"):
        assert not any(said in line for line in result.outlines)


@pytest.mark.parametrize(
    ("arguments", "conftest", "status", "missing"),
    [
        (("no_such_test.py",), "", pytest.ExitCode.USAGE_ERROR, STOPPED),
        (("-n1", "no_such_test.py"), "", pytest.ExitCode.NO_TESTS_COLLECTED, STOPPED),
        ((), EXIT.format(2), pytest.ExitCode.INTERRUPTED, BOTH),
        ((), EXIT.format(0), pytest.ExitCode.TESTS_FAILED, BOTH),
        ((), INTERRUPT, pytest.ExitCode.INTERRUPTED, STOPPED),
    ],
    ids=["path", "path_of_workers", "exit", "exit_as_passed", "interrupted"],
)
def test_a_run_that_is_stopped_before_its_tests(
    written: Project, arguments: tuple[str, ...], conftest: str, status: int, missing: str
) -> None:
    before = files(written)
    written.file("conftest.py", conftest)
    result = written.run(*WRITES, "--compilecheck-update=all", *arguments)
    assert result.ret == status
    assert files(written) == before
    assert_shows(
        result,
        NONE,
        f"incomplete: {missing}",
        "the json report was not written: the run was stopped before its tests, and an earlier"
        " report is left as it is",
    )


def test_a_file_that_cannot_be_collected_leaves_an_incomplete_report(written: Project) -> None:
    """Pytest stops there too, and what it found is what the report tells."""
    written.tests("raise ValueError", name="test_other.py")
    report = written.report()
    assert (report["complete"], report["contracts"]) == (False, [])
    assert report["missing"] == ["test_it.py::test_breaks", "test_it.py::test_holds"]
