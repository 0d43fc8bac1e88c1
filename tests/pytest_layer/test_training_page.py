"""docs/training.md shows what happens."""

from __future__ import annotations

import pytest
import torch

from pytest_layer.pages import lines, patched, written
from pytest_layer.projects import Project, assert_shows


@pytest.mark.skipif(
    not torch.__version__.startswith("2.13"), reason="the page shows figures of torch 2.13"
)
def test_wrong_gradients_are_found_and_mended(project: Project) -> None:
    page = written("training.md", project)
    result = project.run("test_training.py")
    result.assert_outcomes(failed=1)
    assert_shows(result, *lines(page["wrong"]))

    project.file("model.py", patched(page["file=model.py"], page["mend-model"]))
    project.file("test_training.py", patched(page["file=test_training.py"], page["mend-test"]))
    result = project.run("test_training.py", "test_loop.py")
    result.assert_outcomes(passed=2)
    assert_shows(result, *lines(page["right"]))
