"""docs/upgrade-torch.md shows what happens, by the reports of `tests/adopting`."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_compilecheck.cli import main
from pytest_compilecheck.observe import self_check, torch_adapter
from pytest_compilecheck.pytest_layer.ending import header
from pytest_layer.pages import lines, written
from pytest_layer.projects import Project, assert_shows

ADOPTING = Path(__file__).parents[1] / "adopting"
NIGHTLY = "2.16.0.dev20261101+cpu"


@pytest.fixture
def page(project: Project, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The blocks of the page; its file is written, beside the reports of two releases."""
    monkeypatch.chdir(project.path)
    for release in ("2.13", "2.15"):
        shutil.copy(ADOPTING / f"torch-{release}.json", project.path)
    return written("upgrade-torch.md", project)


@pytest.fixture
def _untried(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A nightly of torch that has no hook for cache misses any more."""
    monkeypatch.setattr(header, "torch_build", lambda: NIGHTLY)
    monkeypatch.setattr(torch_adapter, "SET_GUARD_HOOK", None)
    self_check._prove.cache_clear()
    yield
    self_check._prove.cache_clear()


def shown(block: str, capsys: pytest.CaptureFixture[str]) -> str:
    """The commands of a block, each with what it prints."""
    told = ""
    for line in (line for line in block.splitlines() if line.startswith("$ compilecheck ")):
        main(line.split()[2:])
        told += f"{line}\n{capsys.readouterr().out}"
    return told


def test_two_reports(page: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(page["diff"], capsys) == page["diff"]
    assert main(["diff", "torch-2.13.json", "torch-2.15.json"]) == 1
    assert main(["baseline", "known.yaml", "torch-2.13.json", "--update", "new"]) == 0
    capsys.readouterr()
    assert shown(page["baseline"], capsys) == page["baseline"]
    assert main(["baseline", "known.yaml", "torch-2.15.json"]) == 0


@pytest.mark.usefixtures("_untried")
def test_a_torch_that_nobody_has_tried(project: Project, page: dict[str, str]) -> None:
    result = project.run()
    result.assert_outcomes(failed=1)
    assert_shows(result, *lines(page["newer"]))
    assert_shows(result, *lines(page["unknown"]))


@pytest.mark.usefixtures("page")
def test_figures_of_each_release(project: Project) -> None:
    project.run().assert_outcomes(passed=1)
