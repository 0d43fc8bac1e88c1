"""What README.md shows is what happens."""

from __future__ import annotations

import pytest
import torch

from pytest_layer.pages import lines, written
from pytest_layer.projects import Project, assert_shows


@pytest.mark.skipif(
    not torch.__version__.startswith("2.13"), reason="the page shows figures of torch 2.13"
)
def test_the_first_contract(project: Project) -> None:
    page = written("../README.md", project)
    result = project.run("test_model.py")
    result.assert_outcomes(failed=1)
    # The title is as wide as the terminal.
    assert_shows(result, *(line.strip("_") for line in lines(page["output"])))
    project.run("test_model.py", check=False).assert_outcomes(passed=1)
