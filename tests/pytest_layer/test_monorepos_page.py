"""docs/monorepos.md shows what happens."""

from __future__ import annotations

import pytest
import torch

from pytest_layer.pages import lines, written
from pytest_layer.projects import Project, assert_shows

pytestmark = pytest.mark.skipif(
    not torch.__version__.startswith("2.13"), reason="the page shows figures of torch 2.13"
)


def test_one_rootdir_or_several(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    page = written("monorepos.md", project)
    result = project.run("-q")
    result.assert_outcomes(failed=1, passed=1)
    assert_shows(result, *lines(page["whole"]))
    result = project.run("-c", "pytest.ini", "--collect-only", "-q", "vision")
    assert result.outlines[0] == page["vision"].strip()
    project.run("-c", "pytest.ini", "--collect-only", "-q", "text").stdout.no_fnmatch_line(
        "*::patches"
    )

    monkeypatch.chdir(project.path / "text")
    result = project.run()
    result.assert_outcomes(passed=1)
    assert_shows(result, *lines(page["inside"]))
    project.file("text/conftest.py", page["owner"])
    project.run().assert_outcomes(failed=1)


def test_a_baseline_for_each_package(project: Project) -> None:
    written("monorepos.md", project)
    held = "-c", "pytest.ini", "--compilecheck-baseline=text/known.yaml", "text"
    project.run(*held, "--compilecheck-update=new").assert_outcomes(passed=1)
    known = (project.path / "text/known.yaml").read_text("utf-8")
    assert '"contract": "text/tests/test_encoder.py::test_encoder"' in known
    assert '"file": "shared/norm.py"' in known
    project.run(*held).assert_outcomes(passed=1)
