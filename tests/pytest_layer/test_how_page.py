"""What the page on guards, breaks and sizes shows is what happens."""

from __future__ import annotations

import fnmatch
import runpy

import pytest
import torch

from pytest_layer.pages import lines, written
from pytest_layer.projects import Project


@pytest.mark.skipif(
    not torch.__version__.startswith("2.13"), reason="the page shows figures of torch 2.13"
)
@pytest.mark.parametrize("program", ["guards", "pieces", "lengths"])
def test_a_program_prints_what_stands_below_it(
    program: str,
    project: Project,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown = lines(written("how-compile-works.md", project)[f"output={program}"])
    monkeypatch.chdir(project.path)
    torch._dynamo.reset()
    runpy.run_path(f"{program}.py", run_name="__main__")
    printed = iter(capsys.readouterr().out.splitlines())
    for line in shown:
        pattern = line.replace("[", "[[]")
        assert any(fnmatch.fnmatchcase(each, pattern) for each in printed), line
