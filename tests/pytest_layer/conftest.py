from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from pytest_layer.libraries import HEAD, INI, OPS
from pytest_layer.projects import Imports, Project


@pytest.fixture
def _imports() -> Iterator[Imports]:
    imports = Imports()
    yield imports
    imports.keep()


@pytest.fixture
def pytester(_imports: Imports, pytester: pytest.Pytester) -> Iterator[pytest.Pytester]:
    """pytest's own, after which what was imported stays so: numpy cannot be imported twice."""
    _imports.project = str(pytester.path)
    yield pytester
    _imports.note()  # pytest's own, set up last, forgets modules first


@pytest.fixture
def project(_imports: Imports, pytester: pytest.Pytester) -> Project:
    """An empty project in which contracts can be run."""
    return Project(pytester, _imports)


@pytest.fixture
def library(project: Project) -> Iterator[Project]:
    """A project with a package `lib_with_contracts` in src, and a test."""
    project.file("pytest.ini", INI.format("lib_with_contracts.ops"))
    project.file("src/lib_with_contracts/__init__.py", "")
    project.file("src/lib_with_contracts/ops.py", HEAD + OPS)
    project.file("tests/test_it.py", "def test_it():\n    pass\n")
    path, modules = list(sys.path), set(sys.modules)
    yield project
    sys.path[:] = path
    for name in set(sys.modules) - modules:
        if name.startswith("lib_with_contracts"):
            del sys.modules[name]
