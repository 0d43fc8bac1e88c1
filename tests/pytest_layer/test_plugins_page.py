"""What docs/plugins.md shows is what happens; each section is a folder of its own."""

from __future__ import annotations

import sys

import pytest

from pytest_compilecheck.report.installed_formats import GROUP
from pytest_layer.pages import blocks, blocks_in, written
from pytest_layer.projects import Project, assert_shows

BLOCKS = blocks("plugins.md")


@pytest.fixture
def page(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project with all files of the page."""
    written("plugins.md", project)
    for module in ("conftest", "graphs", "vendored", "vendored.progress"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    return project


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize("section", ["inputs", "bounds", "owners", "formats"])
def test_a_section_passes(page: Project, section: str, check: bool) -> None:
    result = page.run(section, check=check)
    failing = int(check and section == "bounds")
    passing = 2 - failing if section == "bounds" else 1
    result.assert_outcomes(passed=passing, failed=failing)


def test_workers_of_xdist_ask_the_hooks(page: Project) -> None:
    result = page.run_apart("-n1", "inputs", "bounds", "owners", "--rootdir=.")
    result.assert_outcomes(passed=3, failed=1)
    assert_shows(result, *BLOCKS["output=bounds"].splitlines())


def test_without_its_hook_it_does_not(page: Project) -> None:
    for section in ("inputs", "bounds", "owners"):
        (page.path / section / "conftest.py").unlink()
        outcomes = page.run(section).parseoutcomes()
        assert "passed" not in outcomes
        assert outcomes.get("failed", 0) + outcomes.get("errors", 0) > 0


def test_a_violation_of_a_bound(page: Project) -> None:
    assert_shows(page.run("bounds"), *BLOCKS["output=bounds"].splitlines())


def test_a_package_declares_its_formats() -> None:
    tables = pytest.importorskip("tomllib", reason="it is new in Python 3.11")
    declared = tables.loads(BLOCKS["entry-points"])["project"]["entry-points"]
    assert list(declared) == [GROUP]


def test_the_command_writes_the_report(page: Project) -> None:
    (command,) = blocks_in("plugins.md", "shell")
    program, *arguments = command.split()
    assert program == "pytest"
    page.run(*arguments, check=False).assert_outcomes(passed=1)
    text = (page.path / "report.txt").read_text("utf-8")
    assert text == "passed formats/test_formats.py::test_sine\n"
