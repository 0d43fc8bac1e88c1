"""Loading the plugin costs next to nothing."""

from __future__ import annotations

import json

import pytest

from pytest_layer.projects import Project, assert_shows

CONFTEST = """
import json
import sys

def pytest_unconfigure(config):
    heavy = {name for name in sys.modules if name.split(".")[0] in ("torch", "yaml", "tabulate")}
    ours = {name for name in sys.modules if name.split(".")[0] == "pytest_compilecheck"}
    with open("imported.json", "w") as file:
        json.dump({"heavy": sorted(heavy), "ours": sorted(ours)}, file)
"""


OURS = [
    "pytest_compilecheck",
    "pytest_compilecheck.baseline",
    "pytest_compilecheck.baseline.modes",
    "pytest_compilecheck.plugin",
    "pytest_compilecheck.pytest_layer",
    "pytest_compilecheck.pytest_layer.hidden",
    "pytest_compilecheck.pytest_layer.settings",
]


@pytest.mark.parametrize("arguments", [[], ["--compilecheck"], ["--help"]])
def test_no_heavy_import(project: Project, arguments: list[str]) -> None:
    project.file("conftest.py", CONFTEST)
    project.file("test_plain.py", "def test_plain(): pass")
    result = project.run_apart(*arguments, check=False)
    assert result.ret == 0
    imported = json.loads((project.path / "imported.json").read_text())
    assert imported["heavy"] == []
    if not arguments:
        assert imported["ours"] == OURS


def test_no_heavy_import_for_unittest(project: Project) -> None:
    project.file("conftest.py", CONFTEST)
    project.file(
        "test_plain.py",
        """
        import unittest

        class TestPlain(unittest.TestCase):
            def test_plain(self):
                pass
        """,
    )
    assert project.run_apart("--compilecheck", check=False).ret == 0
    assert json.loads((project.path / "imported.json").read_text())["heavy"] == []


def test_options_and_marker_are_documented(project: Project) -> None:
    result = project.run("--help", check=False)
    options = ("", "-json=PATH", "-backend=NAME", "-warn", "-strict")
    assert_shows(result, *(f"  --compilecheck{option}" for option in options))
    keys = ("", "_json", "_backend", "_warn", "_strict", "_defaults")
    assert_shows(result, *(f"  compilecheck{key} (" for key in keys))
    result = project.run("--markers", check=False)
    assert_shows(result, "@pytest.mark.compile_contract(")


def test_plain_suites_print_nothing_of_ours(project: Project) -> None:
    project.tests("def test_plain(): pass")
    for check in (True, False):
        result = project.run("--strict-markers", check=check)
        result.assert_outcomes(passed=1)
        result.stdout.no_fnmatch_line("*compile contracts*")
