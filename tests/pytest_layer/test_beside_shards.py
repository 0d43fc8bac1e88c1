"""Parts of a suite that pytest-split and pytest-shard run on several machines, merged again."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pytest_compilecheck.cli import main
from pytest_layer.projects import Project, without_times

SUITE = """
@pytest.mark.parametrize("number", range(5))
@compile_contract(values={"n": [1, 2]}, max_recompiles=1)
def test_values(number, n):
    if number == 3:
        print("break")
    return torch.ones(3) * n

def test_plain():
    pass

def test_blocks(compilecheck):
    with compilecheck.watch(max_graph_breaks=0):
        compilecheck.compile(torch.relu)(torch.ones(3))
"""


def split(number: int) -> list[str]:
    return ["--splits=3", f"--group={number + 1}"]


def shard(number: int) -> list[str]:
    return ["--num-shards=3", f"--shard-id={number}"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("plugin", "part"), [("pytest-split", split), ("pytest-shard", shard)], ids=["split", "shard"]
)
def test_all_parts_are_the_whole(
    project: Project,
    plugin: str,
    part: Callable[[int], list[str]],
    capsys: pytest.CaptureFixture[str],
) -> None:
    project.tests(SUITE)
    whole = project.report(outcomes={"passed": 6, "failed": 1})
    project.beside = (plugin,)
    parts = []
    for number in range(3):
        workers = ["-n1"] if number == 1 else []
        name = f"{number}.json"
        project.run(f"--compilecheck-json={name}", *part(number), *workers)
        parts.append(str(project.path / name))
    out = str(project.path / "report.json")
    assert main(["merge", *parts, "-o", out]) == 0
    assert without_times(project.read_report()) == without_times(whole)

    capsys.readouterr()
    assert main(["merge", parts[0], parts[2], "-o", out]) == 1
    forgotten = [each["id"] for each in project.read_report()["contracts"]]
    lost = sorted({each["id"] for each in whole["contracts"]} - set(forgotten))
    assert lost
    assert project.read_report()["missing"] == lost
    told = f"incomplete: {len(lost)} contract"
    assert told in capsys.readouterr().err
