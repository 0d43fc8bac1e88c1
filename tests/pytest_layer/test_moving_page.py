"""docs/moving.md: each check written by hand passes, each contract beside it fails as shown."""

from __future__ import annotations

import pytest
import torch

from pytest_layer.pages import lines, written
from pytest_layer.projects import Project, assert_shows

BY_HAND = ("explain", "frames", "fullgraph", "log", "counters")
CONTRACTS = ("breaks", "rebuilds", "one_graph", "steps", "figures")


@pytest.mark.slow
@pytest.mark.skipif(
    not torch.__version__.startswith("2.13"), reason="the page shows figures of torch 2.13"
)
def test_what_checks_by_hand_do_not_see(project: Project) -> None:
    page = written("moving.md", project)
    files = {name.removeprefix("file=") for name in page if name.startswith("file=test_")}
    assert files == {f"test_{name}.py" for name in (*BY_HAND, *CONTRACTS, "mixin")}

    result = project.run(*(f"test_{name}.py" for name in BY_HAND), check=False)
    result.assert_outcomes(passed=7)

    result = project.run("-q", *(f"test_{name}.py" for name in CONTRACTS))
    result.assert_outcomes(passed=1, failed=7)
    for name in ("explain", "frames", "fullgraph", "log", "counters"):
        # Titles are as wide as the terminal.
        assert_shows(result, *(line.strip("_") for line in lines(page[name])))

    result = project.run("-q", "test_mixin.py")
    result.assert_outcomes(passed=1, failed=1)
    assert_shows(result, *(line.strip("_") for line in lines(page["mixin"])))
