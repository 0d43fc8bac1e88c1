"""Loading the plugin costs next to nothing."""

from __future__ import annotations

import json
import re

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
    "pytest_compilecheck.decorator",
    "pytest_compilecheck.environment",
    "pytest_compilecheck.plugin",
    "pytest_compilecheck.pytest_layer",
    "pytest_compilecheck.pytest_layer.hidden",
    "pytest_compilecheck.pytest_layer.hookspecs",
    "pytest_compilecheck.pytest_layer.options",
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


# What is done, how it is measured, what is written: in the order in which they are shown.
OPTIONS = [
    "--compilecheck",
    "--compilecheck-audit",
    "--compilecheck-warn",
    "--compilecheck-strict",
    "--compilecheck-backend=NAME",
    "--compilecheck-baseline=FILE",
    "--compilecheck-update=new|tighten|all",
    "--compilecheck-update-in-ci",
    "--compilecheck-policies",
    "--compilecheck-policies-inprocess",
    "--compilecheck-policies-seconds=SECONDS",
    "--compilecheck-policies-timeout=SECONDS",
    "--compilecheck-trace=DIR",
    "--compilecheck-json=PATH",
    "--compilecheck-markdown=PATH",
    "--compilecheck-sarif=PATH",
    "--compilecheck-html=PATH",
    "--compilecheck-report=NAME:PATH",
    "--compilecheck-annotations=auto|always|never",
    "--compilecheck-top=N",
]


def test_options_and_marker_are_documented(project: Project) -> None:
    result = project.run("--help", check=False)
    shown = [line.split()[0] for line in result.outlines if line.startswith("  --compilecheck")]
    assert shown == OPTIONS
    twins = [option.partition("=")[0][2:].replace("-", "_") for option in OPTIONS]
    keys = [*twins, "compilecheck_files", "compilecheck_modules", "compilecheck_defaults"]
    assert_shows(result, *(f"  {key} (" for key in keys))
    result = project.run("--markers", check=False)
    assert_shows(result, "@pytest.mark.compile_contract(")


def test_help_texts_are_of_one_style(project: Project) -> None:
    told = project.run("--help", check=False).stdout.str()
    group = told.partition("torch.compile contracts:\n")[2].partition("\n\n")[0]
    texts = re.findall(r"^  --\S+\s+(.*?)(?=\n  --|\Z)", group, re.MULTILINE | re.DOTALL)
    assert len(texts) == len(OPTIONS)
    assert all(text[0].islower() and not text.endswith(".") for text in texts)


def test_plain_suites_print_nothing_of_ours(project: Project) -> None:
    project.tests("def test_plain(): pass")
    for check in (True, False):
        result = project.run("--strict-markers", check=check)
        result.assert_outcomes(passed=1)
        result.stdout.no_fnmatch_line("*compile contracts*")


@pytest.mark.slow
@pytest.mark.parametrize("check", [False, True])
def test_contracts_load_neither_baselines_nor_what_measures_policies(
    project: Project, check: bool
) -> None:
    project.file("conftest.py", CONFTEST)
    project.tests("@compile_contract(shapes=[(2, 3)])\ndef test_it(x): return x + 1")
    project.run_apart(check=check).assert_outcomes(passed=1)
    ours = json.loads((project.path / "imported.json").read_text())["ours"]
    assert "pytest_compilecheck.pytest_layer.running.execution" in ours
    unneeded = ("baseline.", "pytest_layer.ending.ratchet", "pytest_layer.policies.", "replay.")
    light = ("baseline.modes", "pytest_layer.policies.chosen", "pytest_layer.policies.replays")
    parts = [name.removeprefix("pytest_compilecheck.") for name in ours]
    assert [name for name in parts if name.startswith(unneeded) and name not in light] == []
