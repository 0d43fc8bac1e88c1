"""docs/many-machines.md shows what happens."""

from __future__ import annotations

import pytest
import torch

from pytest_compilecheck.cli import main
from pytest_layer.pages import lines, written
from pytest_layer.projects import Project, assert_shows

pytestmark = pytest.mark.skipif(
    not torch.__version__.startswith("2.13"), reason="the page shows figures of torch 2.13"
)


@pytest.fixture
def page(project: Project, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The blocks of the page; its files are written, and its commands run where they are."""
    found = written("many-machines.md", project)
    monkeypatch.chdir(project.path)
    return found


def ran(project: Project, commands: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Run the commands of a block; gives them with the output of those of `compilecheck`."""
    shown = []
    for line in (line for line in commands.splitlines() if line.startswith("$ ")):
        name, *arguments = line.split()[1:]
        if name == "pytest":
            project.run(*arguments, check=False)
            capsys.readouterr()
            shown.append(line)
        else:
            main(arguments)
            captured = capsys.readouterr()
            shown += [line, *captured.out.splitlines(), *captured.err.splitlines()]
    return shown


@pytest.mark.slow
def test_a_worker_that_dies(project: Project, page: dict[str, str]) -> None:
    dying = page["file=test_model.py"].replace(
        "    assert", "    import os\n\n    if width == 32:\n        os._exit(1)\n    assert"
    )
    project.file("test_model.py", dying)
    result = project.run("-n1")
    result.assert_outcomes(passed=2, failed=1)
    assert_shows(result, *lines(page["crash"]))


def test_parts_are_merged(
    project: Project, page: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    project.beside = ("pytest-split",)
    assert ran(project, page["merge"], capsys) == page["merge"].splitlines()
    assert ran(project, page["forgotten"], capsys) == page["forgotten"].splitlines()


@pytest.mark.slow
def test_two_reports(
    project: Project, page: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    project.run("--compilecheck-json=before.json").assert_outcomes(passed=3)
    branching = page["file=model.py"].replace(
        "        return", "        if y.sum() > 0:\n            y = y + 1\n        return"
    )
    project.file("model.py", branching)
    test = page["file=test_model.py"].replace("max_graph_breaks=1", "max_graph_breaks=2")
    project.file("test_model.py", test)
    project.run("--compilecheck-json=after.json").assert_outcomes(passed=3)
    capsys.readouterr()
    shown = ran(project, page["diff"], capsys)
    first, last = page["diff"].split("[...]\n")
    assert shown[: len(first.splitlines())] == first.splitlines()
    assert shown[-1:] == last.splitlines()
