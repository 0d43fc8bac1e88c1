from __future__ import annotations

from collections.abc import Iterator

import pytest

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
