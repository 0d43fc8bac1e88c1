"""Contracts under pytest-sugar, which writes the progress and the failures itself."""

from __future__ import annotations

import pytest

from pytest_layer.projects import ONE_OF_TWO_BREAKS, Project, assert_shows


@pytest.mark.slow
@pytest.mark.parametrize("workers", [[], ["-n1"]], ids=["alone", "workers"])
def test_failure_and_table_are_there(project: Project, workers: list[str]) -> None:
    project.beside = ("sugar",)
    project.tests(ONE_OF_TWO_BREAKS)
    result = project.run_apart("--compilecheck-json=report.json", "--force-sugar", *workers)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert_shows(result, 'print("break")')
    assert_shows(result, "compile contracts")
    assert_shows(result, "failed * test_it.py::test_breaks")
    assert_shows(result, "passed * test_it.py::test_holds")
    assert [each["outcome"] for each in project.read_report()["contracts"]] == ["failed", "passed"]
