"""Projects of a few files in which pytest is run, in this process unless a test says otherwise."""

from __future__ import annotations

import importlib
import json
import pkgutil
import re
import textwrap
from typing import Any

import pytest

_IMPORTS = """\
import pytest
import torch
from pytest_compilecheck import compile_contract
"""


class Project:
    """Files of a project, and runs of pytest on them."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self._pytester = pytester
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
        return self._pytester.runpytest_inprocess(
            *self._arguments(arguments, check), no_reraise_ctrlc=True
        )

    def run_apart(self, *arguments: str, check: bool = True) -> pytest.RunResult:
        """Run pytest in a process of its own."""
        return self._pytester.runpytest_subprocess(*self._arguments(arguments, check))

    def report(self, *arguments: str, outcomes: dict[str, int] | None = None) -> dict[str, Any]:
        """Run with --compilecheck and return the JSON report."""
        result = self.run("--compilecheck-json=report.json", *arguments)
        if outcomes is not None:
            result.assert_outcomes(**outcomes)
        return self.read_report()

    def read_report(self) -> dict[str, Any]:
        """The JSON report of the last run."""
        data: dict[str, Any] = json.loads((self.path / "report.json").read_text("utf-8"))
        return data

    @staticmethod
    def _arguments(arguments: tuple[str, ...], check: bool) -> list[str]:
        # The order of the tests is part of what some of them hold; other plugins cost a second each
        # run, because they import what pytester has pytest forget.
        absent = ["randomly", "hypothesispytest", "anyio"]
        without = [argument for name in absent for argument in ("-p", f"no:{name}")]
        return [*without, *(["--compilecheck"] if check else []), *arguments]


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


def import_all_lazily_imported() -> None:
    """Import what a run imports late.

    After a run in this process pytester forgets the modules that the run imported; torch cannot be
    imported twice, and of our modules each test would see another copy.
    """
    import pytest_compilecheck

    for module in pkgutil.walk_packages(pytest_compilecheck.__path__, "pytest_compilecheck."):
        importlib.import_module(module.name)
    import torch
    import yaml  # noqa: F401 - its parser in C keeps the classes of the first one

    def warm(x: torch.Tensor) -> torch.Tensor:
        print()  # a graph break imports what reports one
        return x.relu() + 1

    compiled = torch.compile(warm, backend="eager")
    compiled(torch.ones(3))
    compiled(torch.ones(4))
    torch._dynamo.reset()
