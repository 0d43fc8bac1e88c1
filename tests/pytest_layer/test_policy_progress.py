"""What a person sees while policies are measured: with a terminal, and without one."""

from __future__ import annotations

import sys
from itertools import pairwise

import pytest

from pytest_layer.projects import Project

if sys.platform == "win32":
    pytest.skip("a pseudo-terminal is needed", allow_module_level=True)

from pytest_layer.terminals import run_in_terminal, screen

COLUMNS = 70
LONG = "padded to what is a power of two, under a name wider than a terminal"
ARGUMENTS = (
    "--compilecheck",
    "--compilecheck-policies",
    "-pno:randomly",
    "-pno:sugar",
    "-pno:cacheprovider",
)

TESTS = f"""
from pytest_compilecheck import bucket

@compile_contract(
    max_recompiles=None,
    shapes={{"x": "S"}},
    dims={{"S": [5, 6]}},
    policies=["static", bucket(label={LONG!r})],
)
def test_it(x):
    return x + 1
"""

# Two runs of a step in place of hundreds: here it matters what is told, not what it costs.
QUICK = """
import pytest

@pytest.fixture(autouse=True)
def quick(monkeypatch):
    for name in ("LEAST", "MOST"):
        monkeypatch.setattr(f"pytest_compilecheck.replay.repeats.{name}", 2)
"""


@pytest.fixture
def quick(project: Project) -> Project:
    project.tests(TESTS)
    project.file("conftest.py", QUICK)
    return project


@pytest.mark.slow
def test_on_a_terminal_one_line_for_each_policy_is_written_over(quick: Project) -> None:
    arguments = (*ARGUMENTS, "--compilecheck-policies-inprocess")
    status, written = run_in_terminal(quick.path, arguments, columns=COLUMNS)
    assert status == 0, written
    told = [each for each in written.split("\r") if each.startswith("policy ")]
    passing = [each for each in told if ": measured in" not in each]
    for policy in ("1 of 2, static: ", "2 of 2, padded to "):
        mine = [each for each in passing if each.startswith(f"policy {policy}")]
        assert "starting" in mine[0]
        assert any("first pass, 2 of 2" in each for each in mine)
    assert [each for each in passing if len(each) >= COLUMNS] == []
    assert all(one != other for one, other in pairwise(passing))
    # What is left of it is one line for each policy, at the start of the line.
    lines = screen(written, columns=COLUMNS)
    first, second, rest, *others = lines[lines.index("test_it.py") + 1 :]
    assert first.startswith("policy 1 of 2, static: measured in ")
    assert (second + rest).startswith(f"policy 2 of 2, {LONG}: measured in ")
    assert others[0].startswith(".")
    assert not any("policy " in line for line in others[:2])


@pytest.mark.slow
def test_what_is_said_when_a_run_is_interrupted_begins_a_line(quick: Project) -> None:
    status, written = run_in_terminal(
        quick.path, ARGUMENTS, columns=COLUMNS, interrupt_at="policy 1 of 2"
    )
    assert status == 2, written
    lines = screen(written, columns=COLUMNS)
    (last,) = [line for line in lines if line.startswith("policy ")]
    assert last.startswith("policy 1 of 2, static: ")
    assert "!" not in last
    assert "=" not in last


@pytest.mark.slow
def test_without_a_terminal_there_is_one_plain_line_for_each_policy(quick: Project) -> None:
    result = quick.run("--compilecheck-policies", "--compilecheck-policies-inprocess")
    told = [line for line in result.outlines if line.startswith("policy ")]
    first, second = told
    assert first.startswith("policy 1 of 2, static: measured in ")
    assert second.startswith(f"policy 2 of 2, {LONG}: measured in ")
    assert "\r" not in result.stdout.str()
