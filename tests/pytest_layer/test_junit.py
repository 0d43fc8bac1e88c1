"""Figures of contracts in pytest's own JUnit file."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from pytest_layer.projects import Project

TESTS = """
@compile_contract(shapes=[(2, 3)])
def test_breaks(x):
    print()
    return x + 1

@pytest.mark.skip
@compile_contract(shapes=[(2, 3)])
def test_skipped(x):
    return x + 1

@pytest.fixture
def mine(request):
    request.node.user_properties.append(("mine", "1"))

@pytest.mark.usefixtures("mine")
@compile_contract(shapes=[(2, 3)])
def test_with_a_property(x):
    return x + 1

def test_blocks(compilecheck):
    for name in ("prefill", "decode"):
        with compilecheck.watch(name):
            compilecheck.compile(lambda x: x + 1)(torch.ones(3))

def test_plain():
    pass
"""


def properties(project: Project) -> dict[str, dict[str, str]]:
    """The properties of each test in the file, by name; no name comes twice."""
    found = {}
    for case in ET.parse(project.path / "junit.xml").iter("testcase"):
        pairs = [(each.attrib["name"], each.attrib["value"]) for each in case.iter("property")]
        assert len(dict(pairs)) == len(pairs)
        found[case.attrib["name"]] = dict(pairs)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [[], ["-n1"]])
def test_each_contract_has_its_figures(project: Project, arguments: list[str]) -> None:
    project.tests(TESTS)
    project.run("--junitxml=junit.xml", *arguments)
    found = properties(project)
    assert found["test_plain"] == {}
    broken = found["test_breaks"]
    assert broken.pop("compilecheck.compile_seconds") != "0"
    assert broken == {
        "compilecheck.outcome": "failed",
        "compilecheck.graph_breaks": "1",
        "compilecheck.recompiles": "0",
        "compilecheck.fallbacks": "0",
        "compilecheck.graphs": "1",
        "compilecheck.hit_rate": "0.5",
        "compilecheck.violations": "1 graph break, 0 allowed",
    }
    assert found["test_skipped"]["compilecheck.outcome"] == "skipped"
    assert found["test_with_a_property"]["mine"] == "1"
    assert found["test_with_a_property"]["compilecheck.outcome"] == "passed"
    blocks = found["test_blocks"]
    assert [blocks[f"compilecheck.{each}.outcome"] for each in ("prefill", "decode")] == [
        "passed",
        "passed",
    ]


def test_without_the_flag_there_are_none(project: Project) -> None:
    project.tests(TESTS)
    project.run("--junitxml=junit.xml", check=False)
    assert properties(project)["test_breaks"] == {}
