"""The combinations of releases that are tried, and the page that tells what came of them."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from pytest_compilecheck.releases import NEWEST, OLDEST

ROOT = Path(__file__).parent.parent


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("matrix_tool", ROOT / "tools" / "matrix.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["matrix_tool"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


matrix = load()
LISTS = {
    "centre": {"torch": "2.13.0", "python": "3.11", "pytest": "9"},
    "torch": ["2.8.0", "2.13.0"],
    "python": ["3.1", "3.11"],
    "pytest": ["8.4", "9"],
    "corners": [{"torch": "2.8.0", "python": "3.1", "pytest": "8.4"}],
}


def row(torch: str = "2.13.0+cpu", python: str = "3.11.7", pytest: str = "9.2.0", **more: object):
    figures = {"tests": "whole suite", "passed": 3, "failed": 0, "skipped": 1, "seconds": 2.5}
    return matrix.Row(torch=torch, python=python, pytest=pytest, **{**figures, **more})


def test_one_release_at_a_time_differs_from_the_centre() -> None:
    of = matrix.Combination
    assert matrix.combinations(LISTS) == [
        of("2.13.0", "3.11", "9"),
        of("2.8.0", "3.11", "9"),
        of("2.13.0", "3.1", "9"),
        of("2.13.0", "3.11", "8.4"),
        of("2.8.0", "3.1", "8.4"),
    ]


@pytest.mark.parametrize(
    ("found", "covered"),
    [
        (row(), True),
        (row(torch="2.13.0"), True),
        (row(torch="2.13.1+cpu"), False),
        (row(python="3.1.7"), False),
        (row(pytest="90.0"), False),
        (row(pytest="8.4.2"), False),
    ],
)
def test_which_rows_are_of_a_combination(found: object, covered: bool) -> None:
    assert matrix.Combination("2.13.0", "3.11", "9").covers(found) is covered


def test_the_page_has_each_combination_and_rows_of_other_releases() -> None:
    part = row(tests="tests/cases", failed=2)
    lines = matrix.page(LISTS, [part, row(torch="2.7.0")]).splitlines()
    table = [line for line in lines if line.startswith("| 2")]
    assert table == [
        "| 2.13.0+cpu | 3.11.7 | 9.2.0 | tests/cases | 2 failed | 3 | 1 | 2.5 |",
        "| 2.8.0 | 3.11 | 9 |  | not run yet |  |  |  |",
        "| 2.13.0 | 3.1 | 9 |  | not run yet |  |  |  |",
        "| 2.13.0 | 3.11 | 8.4 |  | not run yet |  |  |  |",
        "| 2.8.0 | 3.1 | 8.4 |  | not run yet |  |  |  |",
        "| 2.7.0 | 3.11.7 | 9.2.0 | whole suite | passed | 3 | 1 | 2.5 |",
    ]


def test_a_part_of_several_files_stands_below_the_table() -> None:
    tests = "tests/cases tests/judge"
    *_, line, _, legend = matrix.page(LISTS, [row(torch="2.7.0", tests=tests)]).splitlines()
    assert line == "| 2.7.0 | 3.11.7 | 9.2.0 | part 1 | passed | 3 | 1 | 2.5 |"
    assert legend == "part 1: `tests/cases`, `tests/judge`."


def test_a_run_is_counted_by_what_pytest_reports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "test_it.py").write_text(
        "import pytest\n"
        "def test_a(): pass\n"
        "def test_b(): assert 0\n"
        "def test_c(): pytest.skip('no')\n"
        "@pytest.fixture\ndef broken(): assert 0\n"
        "def test_d(broken): pass\n"
    )
    monkeypatch.setattr(matrix, "ROOT", tmp_path)
    found = matrix.run(sys.executable, ["test_it.py", "-p", "no:randomly"])
    assert (found.passed, found.failed, found.skipped) == (1, 2, 1)
    assert found.outcome == "2 failed"
    assert found.tests == "test_it.py -p no:randomly"
    assert found.python == ".".join(map(str, sys.version_info[:3]))


# What is written in two places is the same in both.


def test_the_page_is_what_the_rows_give() -> None:
    assert matrix.PAGE.read_text("utf-8") == matrix.page(matrix.read_lists(), matrix.read_rows())


def test_the_lists_are_those_of_the_rest_of_the_project() -> None:
    lists = matrix.read_lists()
    known = [tuple(map(int, each.split(".")[:2])) for each in lists["torch"]]
    assert (known[0], known[-1]) == (OLDEST, NEWEST)
    assert known == [(2, minor) for minor in range(OLDEST[1], NEWEST[1] + 1)]
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    assert f'"torch=={lists["centre"]["torch"]}"' in project
    assert f'requires-python = ">={lists["python"][0]}"' in project
    assert f'"torch>={".".join(map(str, OLDEST))}"' in project
    assert f'"pytest>={lists["pytest"][0]}"' in project
    declared = re.findall(r"Python :: (3\.\d+)", project)
    assert set(declared) <= set(lists["python"])
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8")
    in_ci = set(re.findall(r'"(2\.\d+\.\d+)"', workflow))
    assert {lists["torch"][0], lists["torch"][-1], *lists["contracts"]} <= in_ci
    assert in_ci <= set(lists["torch"])
