"""Torch's own structured trace, kept for each contract."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from pytest_layer.projects import Project, assert_shows

SUITE = """
@pytest.mark.parametrize("size", [2, 3])
@compile_contract(shapes=[(2, 3), (4, 3)], max_recompiles=1)
def test_rebuilds(size, x):
    return x * size

def test_blocks(compilecheck):
    with compilecheck.watch("prefill"):
        compilecheck.compile(torch.relu)(torch.ones(3))

def test_plain():
    torch.compile(torch.relu, backend="eager")(torch.ones(3))
"""
LINE = re.compile(r"V\d{4} [\d:.]+ \d+ \S+:\d+\] (?P<told>\{.*\})$")


def events(path: Path) -> list[dict[str, Any]]:
    """What a trace tells, as tlparse reads it: a line of JSON for each event, payloads apart."""
    lines = map(LINE.match, path.read_text("utf-8").splitlines())
    return [json.loads(line["told"]) for line in lines if line is not None]


def test_each_contract_has_a_trace_of_its_own(project: Project) -> None:
    project.tests(SUITE)
    project.run("--compilecheck-trace=out/traces").assert_outcomes(passed=4)
    found = {
        path.name.rpartition("-")[0]: events(path)
        for path in sorted((project.path / "out/traces").iterdir())
    }
    assert [*found] == [
        "test_it.py_test_blocks_prefill",
        "test_it.py_test_rebuilds_2",
        "test_it.py_test_rebuilds_3",
    ]
    for name, told in found.items():
        graphs = [event for event in told if "dynamo_output_graph" in event]
        assert len(graphs) == (1 if "blocks" in name else 2)
        # Names of files are told in each: a trace is read by itself.
        known = {event["str"][1] for event in told if "str" in event}
        stacks = [event["dynamo_start"]["stack"] for event in told if "dynamo_start" in event]
        assert {frame["filename"] for stack in stacks for frame in stack} <= known
        assert stacks


def test_nothing_is_kept_that_was_not_asked_for(project: Project) -> None:
    project.tests(SUITE)
    project.run()
    assert [path.name for path in project.path.iterdir() if path.suffix == ".log"] == []


def test_a_folder_that_cannot_be_written_is_told(project: Project) -> None:
    project.tests(SUITE)
    project.file("taken", "a file")
    result = project.run("--compilecheck-trace=taken", "-k", "rebuilds")
    result.assert_outcomes(failed=2)
    assert_shows(result, "--compilecheck-trace: the trace cannot be written: ")
