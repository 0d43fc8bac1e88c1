from __future__ import annotations

import pytest

from pytest_layer.projects import Project, import_all_lazily_imported


@pytest.fixture(scope="session", autouse=True)
def _everything_imported() -> None:
    import_all_lazily_imported()


@pytest.fixture
def project(pytester: pytest.Pytester) -> Project:
    """An empty project in which contracts can be run."""
    return Project(pytester)
