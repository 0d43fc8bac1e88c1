"""What docs/plugins.md shows is what happens; each section is a folder of its own."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from report.values import observation, record, run, site, violation

from pytest_compilecheck.judge.audited import AuditedTest
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


@pytest.mark.slow
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


def test_the_renderer_of_the_page_takes_any_report() -> None:
    names: dict[str, Any] = {}
    exec(BLOCKS["file=formats/conftest.py"], names)
    broken = violation("max_graph_breaks", 0, 1, "graph breaks: 1, at most 0 allowed")
    audited = AuditedTest(id="c.py::t", outcome="passed", observed=observation())
    report = run(
        record(outcome="skipped", id="b.py::t"),
        record(broken, id="a.py::\x1b[2J", observed=observation(break_sites=(site(),))),
        missing=("m.py::t",),
        complete=False,
        audit=(audited,),
    )
    assert names["_as_lines"](report).splitlines() == [
        "failed a.py::\\x1b[2J",
        "  graph breaks: 1, at most 0 allowed",
        "  model/mlp.py:14 Data-dependent branching",
        "skipped b.py::t",
        "missing m.py::t",
        "watched c.py::t",
    ]
