"""docs/adopt.md shows what happens."""

from __future__ import annotations

import pytest
import torch

from pytest_compilecheck.cli import main
from pytest_layer.pages import lines, written
from pytest_layer.projects import Project, assert_shows

HELD = "--compilecheck-baseline=known.yaml"

pytestmark = pytest.mark.skipif(
    not torch.__version__.startswith("2.13"), reason="the page shows figures of torch 2.13"
)


@pytest.fixture
def page(project: Project) -> dict[str, str]:
    """The blocks of the page; its files are written, but for what marks tests."""
    found = written("adopt.md", project)
    (project.path / "conftest.py").unlink()
    return found


def decorated(suite: str, **decorators: str) -> str:
    """The suite with decorators above tests."""
    suite = suite.replace(
        "from layers import", "from pytest_compilecheck import compile_contract\nfrom layers import"
    )
    for test, decorator in decorators.items():
        suite = suite.replace(f"def {test}(", f"{decorator}\ndef {test}(")
    return suite


def test_an_audit_and_what_it_suggests(
    project: Project, page: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    result = project.run("--compilecheck-audit", "--compilecheck-json=report.json", check=False)
    result.assert_outcomes(passed=4)
    assert_shows(result, *lines(page["audit"]))
    capsys.readouterr()
    assert main(["suggest", str(project.path / "report.json")]) == 0
    assert capsys.readouterr().out == page["suggest"]

    decorators = {}
    for block in page["suggest"].split("\n\n")[1:]:
        *_, decorator, head = block.splitlines()
        decorators[head.removeprefix("def ").partition("(")[0]] = decorator
    assert set(decorators) == {"test_clip", "test_norm"}
    project.file("test_layers.py", decorated(page["file=test_layers.py"], **decorators))
    project.run().assert_outcomes(passed=4)


def test_contracts_without_editing_a_test(project: Project, page: dict[str, str]) -> None:
    project.file("conftest.py", page["file=conftest.py"])
    project.run(check=False).assert_outcomes(passed=4)
    report = project.report(outcomes={"passed": 1, "failed": 3})
    held = {record["id"].partition("::")[2].partition("[")[0] for record in report["contracts"]}
    assert held == {"test_norm", "test_clip"}


@pytest.mark.slow
def test_a_baseline_and_its_ratchet(project: Project, page: dict[str, str]) -> None:
    bare = "@compile_contract(watch_only=True)"
    suite = decorated(page["file=test_layers.py"], test_clip=bare, test_norm=bare)
    project.file("test_layers.py", suite)
    result = project.run("--compilecheck-warn")
    result.assert_outcomes(passed=4)
    assert_shows(result, *lines(page["warn"]))

    result = project.run(HELD, "--compilecheck-update=new")
    result.assert_outcomes(passed=4)
    assert_shows(result, *lines(page["baseline"]))

    layers = page["file=layers.py"].replace("        self.seen += 1\n", "")
    project.file("layers.py", layers)
    result = project.run(HELD)
    result.assert_outcomes(passed=4)
    assert_shows(result, *lines(page["ratchet"]))
    project.run(HELD, "--compilecheck-strict").assert_outcomes(passed=3, failed=1)
