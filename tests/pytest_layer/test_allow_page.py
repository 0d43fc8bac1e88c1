"""docs/allow-a-break.md shows what happens."""

from __future__ import annotations

import pytest
import torch

from pytest_layer.pages import lines, patched, written
from pytest_layer.projects import Project, assert_shows

pytestmark = pytest.mark.skipif(
    not torch.__version__.startswith("2.13"), reason="the page shows figures of torch 2.13"
)


@pytest.fixture
def page(project: Project) -> dict[str, str]:
    """The blocks of the page; its files are written."""
    return written("allow-a-break.md", project)


def test_an_exception_from_the_failure_to_its_end(project: Project, page: dict[str, str]) -> None:
    result = project.run("test_ranking.py")
    result.assert_outcomes(failed=1)
    assert_shows(result, *lines(page["failing"]))

    project.file("test_ranking.py", patched(page["file=test_ranking.py"], page["accepted"]))
    result = project.run("test_ranking.py", "--compilecheck-strict")
    result.assert_outcomes(passed=1)
    assert_shows(result, *lines(page["held"]))

    *_, log = (line for line in page["file=ranking.py"].splitlines(True) if "log.warning" in line)
    project.file("ranking.py", page["file=ranking.py"].replace(log, ""))
    project.run("test_ranking.py").assert_outcomes(passed=1)
    result = project.run("test_ranking.py", "--compilecheck-strict")
    result.assert_outcomes(failed=1)
    assert_shows(result, *lines(page["stale"]))


@pytest.mark.usefixtures("page")
def test_the_keys_are_known(project: Project) -> None:
    report = project.report("test_exceptions.py", outcomes={"passed": 1})
    (found,) = report["contracts"]
    kept = {name: len(found["contract"][f"allow_{name}"]) for name in ("breaks", "recompiles")}
    assert kept == {"breaks": 3, "recompiles": 3}
