"""docs/generate.md shows what happens."""

from __future__ import annotations

import pytest
import torch

from pytest_layer.pages import lines, patched, written
from pytest_layer.projects import Project, assert_shows

pytest.importorskip("transformers")
pytestmark = pytest.mark.skipif(
    not torch.__version__.startswith("2.13"), reason="the page shows figures of torch 2.13"
)


@pytest.mark.slow
def test_requests_are_watched_as_a_whole_and_in_parts(project: Project) -> None:
    page = written("generate.md", project)
    result = project.run()
    result.assert_outcomes(passed=1, failed=1)
    assert_shows(result, *lines(page["grows"]))
    assert_shows(result, *lines(page["blocks"]))

    project.file("test_generate.py", patched(page["file=test_generate.py"], page["longer"]))
    result = project.run("test_generate.py")
    result.assert_outcomes(passed=1)
    assert_shows(result, *lines(page["kept"]))
