"""docs/baseline.md shows what happens."""

from __future__ import annotations

import pytest
import torch

from pytest_compilecheck.cli import main
from pytest_layer.pages import lines, written
from pytest_layer.projects import Project, assert_shows

FILE = "--compilecheck-baseline=known.yaml"

pytestmark = pytest.mark.skipif(
    not torch.__version__.startswith("2.13"), reason="the page shows figures of torch 2.13"
)


@pytest.fixture
def page(project: Project) -> dict[str, str]:
    """The blocks of the page; its files are written."""
    return written("baseline.md", project)


def output(block: str) -> list[str]:
    return [line for line in lines(block) if not line.startswith("$ ")]


def test_a_suite_adopts_a_baseline(project: Project, page: dict[str, str]) -> None:
    result = project.run(FILE, "--compilecheck-update=new")
    result.assert_outcomes(passed=1)
    assert_shows(result, *output(page["adopt"]))
    assert (project.path / "known.yaml").read_text("utf-8").endswith(f"known:\n{page['known']}")

    model = page["file=model.py"]
    worse = model.replace(
        "        return", "        if y.mean() > 0:\n            y = y + 1\n        return"
    )
    project.file("model.py", worse)
    result = project.run(FILE)
    result.assert_outcomes(failed=1)
    assert_shows(result, *output(page["new"]))

    project.file("model.py", model.replace('print("in")', "pass"))
    result = project.run(FILE)
    result.assert_outcomes(passed=1)
    assert_shows(result, *output(page["better"]))


def test_a_report_is_held_later(
    project: Project,
    page: dict[str, str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    project.run(FILE, "--compilecheck-update=new", "--compilecheck-json=report.json")
    monkeypatch.chdir(project.path)
    capsys.readouterr()
    shown = ""
    for line in page["report"].splitlines():
        shown += f"{line}\n" if line.startswith("$ ") else ""
        if line.startswith("$ compilecheck "):
            assert main(line.split()[2:]) == 0
            shown += capsys.readouterr().out
    assert shown == page["report"]
