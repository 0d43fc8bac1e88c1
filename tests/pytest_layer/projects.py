"""Projects of a few files in which pytest is run, in this process unless a test says otherwise."""

from __future__ import annotations

import json
import re
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from _pytest.assertion.rewrite import AssertionRewritingHook

_SUITE = str(Path(__file__).parents[1])
# Modules of plugins that run with this suite, by the name under which the plugin registers.
_MODULES = {"hypothesispytest": ("hypothesis", "_hypothesis"), "anyio": ("anyio",)}
_IMPORTS = """\
import pytest
import torch
from pytest_compilecheck import compile_contract
"""


# Names under which plugins register. The order of the tests is part of what some of them hold;
# other plugins cost a second each run, because they import what pytester has pytest forget.
_ABSENT = (
    "randomly",
    "hypothesispytest",
    "anyio",
    "pytest_cov",
    "html",
    "html_fixtures",
    "metadata",
    "rerunfailures",
    "pytest-shard",
    "pytest-split",
    "sugar",
)

ONE_OF_TWO_BREAKS = """
@compile_contract(shapes=[(2, 3)])
def test_breaks(x):
    print("break")
    return x + 1

@compile_contract(shapes=[(2, 3)])
def test_holds(x):
    return x + 1
"""
"""The text of a test file with two contracts, of which one is broken by a print."""


class Project:
    """Files of a project, and runs of pytest on them.

    `beside` are names of other people's plugins that a run shall load; see `_ABSENT`.
    """

    def __init__(self, pytester: pytest.Pytester, imports: Imports) -> None:
        self.beside: tuple[str, ...] = ()
        self._pytester = pytester
        self._imports = imports
        self.path = pytester.path

    def file(self, name: str, text: str) -> None:
        """Write a file as it is."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text).lstrip(), encoding="utf-8")

    def tests(self, text: str, name: str = "test_it.py") -> None:
        """Write a test file; pytest, torch and compile_contract are imported above the text."""
        (self.path / name).write_text(_IMPORTS + textwrap.dedent(text).lstrip(), encoding="utf-8")

    def run(self, *arguments: str, check: bool = True) -> pytest.RunResult:
        """Run pytest here, by default with --compilecheck."""
        with _without_the_suite(self.beside):
            result = self._pytester.runpytest_inprocess(
                *self._arguments(arguments, check), no_reraise_ctrlc=True, plugins=[self._imports]
            )
        self._imports.keep()
        return result

    def run_apart(self, *arguments: str, check: bool = True) -> pytest.RunResult:
        """Run pytest in a process of its own."""
        return self._pytester.runpytest_subprocess(*self._arguments(arguments, check))

    def report(self, *arguments: str, outcomes: dict[str, int] | None = None) -> dict[str, Any]:
        """Run with --compilecheck and return the JSON report."""
        result = self.run("--compilecheck-json=report.json", *arguments)
        if outcomes is not None:
            result.assert_outcomes(**outcomes)
        return self.read_report()

    def report_apart(self, *arguments: str, outcomes: dict[str, int]) -> dict[str, Any]:
        """Run with --compilecheck in a process of its own and return the JSON report."""
        result = self.run_apart("--compilecheck-json=report.json", *arguments)
        result.assert_outcomes(**outcomes)
        return self.read_report()

    def read_report(self) -> dict[str, Any]:
        """The JSON report of the last run."""
        data: dict[str, Any] = json.loads((self.path / "report.json").read_text("utf-8"))
        return data

    def _arguments(self, arguments: tuple[str, ...], check: bool) -> list[str]:
        absent = (name for name in _ABSENT if name not in self.beside)
        without = [argument for name in absent for argument in ("-p", f"no:{name}")]
        return [*without, *(["--compilecheck"] if check else []), *arguments]


@contextmanager
def _without_the_suite(beside: tuple[str, ...]) -> Iterator[None]:
    """Take out meanwhile what pytest rewrote for this suite: a run looks for functions there."""
    of_plugins = tuple(each for name in _MODULES if name not in beside for each in _MODULES[name])
    rewritten = {
        name: module
        for name, module in sys.modules.items()
        if type(module) is ModuleType
        if isinstance(getattr(module.__spec__, "loader", None), AssertionRewritingHook)
        if name.startswith(of_plugins) or str(module.__file__).startswith(_SUITE)
    }
    for name in rewritten:
        del sys.modules[name]
    try:
        yield
    finally:
        sys.modules.update(rewritten)


def assert_shows(result: pytest.RunResult, *patterns: str) -> None:
    """Assert that lines of the output hold these texts, in this order; "*" is any text.

    As `fnmatch_lines`, whose brackets would be classes of characters.
    """
    lines = iter(result.outlines)
    for pattern in patterns:
        expression = re.compile(".*".join(map(re.escape, pattern.split("*"))))
        found = any(expression.search(line) for line in lines)
        assert found, f"not shown: {pattern}"


def without_times(data: Any) -> Any:
    """A JSON report without what differs from run to run."""
    if isinstance(data, dict):
        times = ("seconds", "compile_seconds", "backward_seconds")
        return {key: without_times(value) for key, value in data.items() if key not in times}
    return [without_times(item) for item in data] if isinstance(data, list) else data


class Imports:
    """A plugin that keeps what runs import, but for modules of the `project` folder.

    pytester forgets the modules that a run in this process imported: torch's cannot be imported
    twice, and of ours each test would see another copy.
    """

    def __init__(self) -> None:
        self.project = ""
        self._modules: dict[str, ModuleType] = {}

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self) -> None:
        """Note what a run has imported."""
        self.note()

    def note(self) -> None:
        """Note what is imported by now."""
        modules = sys.modules.items()
        self._modules |= {name: module for name, module in modules if not self._is_own(module)}

    def keep(self) -> None:
        """Put back what pytester took out."""
        for name, module in self._modules.items():
            sys.modules.setdefault(name, module)

    def _is_own(self, module: object) -> bool:
        names = getattr(module, "__dict__", {})  # torch.ops makes what it is asked for
        places = [names.get("__file__"), *names.get("__path__", ())]
        return any(str(place).startswith(self.project) for place in places)
