"""What the page on policies shows is read, and the figures that it names are those of the code."""

from __future__ import annotations

from pathlib import Path

from pytest_compilecheck.contract.file.load import load_contracts
from pytest_compilecheck.contract.model import Contract
from pytest_compilecheck.policies import causes, costs
from pytest_layer.pages import blocks
from pytest_layer.projects import Project

PAGE = (Path(__file__).parents[2] / "docs" / "policies.md").read_text(encoding="utf-8")


def test_the_test_that_is_shown_is_an_ordinary_one(project: Project) -> None:
    project.file("test_mlp.py", blocks("policies.md")["file=test_mlp.py"])
    project.run("--compilecheck", "test_mlp.py").assert_outcomes(passed=1)


def test_a_bound_that_is_not_judged_is_told_with_v_alone(project: Project) -> None:
    project.file("test_mlp.py", blocks("policies.md")["file=test_mlp.py"])
    told = "*preferred_policy of test_mlp.py::test_mlp was not judged: --compilecheck-policies*"
    project.run("--compilecheck", "-v", "test_mlp.py").stdout.fnmatch_lines(
        ["*shape policies*", told]
    )
    project.run("--compilecheck", "test_mlp.py").stdout.no_fnmatch_line("*shape policies*")


def test_the_file_that_is_shown_is_read() -> None:
    text = blocks("policies.md")["file=mlp.contract.yaml"]
    (found,) = load_contracts("mlp.contract.yaml", text.encode()).contracts
    contract = found.contract()
    names = [policy.name for policy in contract.policies]
    assert names == ["static", "auto", "dynamic", "marked", "pow2", "buckets(192, 320)"]
    assert (contract.preferred_policy, contract.policy_margin) == ("auto", 0.2)


def test_the_figures_of_the_rules_are_those_of_the_code() -> None:
    words = " ".join(PAGE.split())
    assert f"is taken to be known to {costs.ONCE:.0%} of".replace("%", " %") in words
    assert f"with fewer than {costs.FEW} warm runs" in words
    assert f"drawn again {costs.RESAMPLES} times" in words
    assert (causes.TIMES, causes.EXPLAINED, causes.LASTING) == (2, 0.5, 2**20)
    assert "more than twice the warm median" in words
    assert "at least half of what it took more" in words
    assert "Less than 1 MiB" in words
    assert f"more than {causes.SECONDS * 1000:.0f} ms above it" in words
    assert f"{causes.QUARTILES:.0f} times the distance of the quartiles" in words
    assert f"`policy_margin` ({Contract().policy_margin} without one)" in words
