"""What a contract leaves in memory is its record."""

from __future__ import annotations

import pytest

from pytest_layer.projects import Project

_CONFTEST = """
    import gc
    import json

    def pytest_sessionfinish(session):
        gc.collect()
        kept = [
            o for o in gc.get_objects()
            if isinstance(o, dict) and "torch._dynamo.config.recompile_limit" in o
        ]
        with open("kept.txt", "w") as file:
            file.write(f"{len(session.items)} items, {len(kept)} copies of the settings")
"""


@pytest.mark.slow
def test_an_item_does_not_keep_the_settings_of_torch(project: Project) -> None:
    project.file("conftest.py", _CONFTEST)
    project.tests(
        """
        @pytest.fixture
        def broken():
            raise ValueError

        @compile_contract(shapes=[(2, 3)])
        def test_holds(x):
            return x + 1

        @compile_contract(shapes=[(2, 3)])
        def test_without_its_fixture(x, broken):
            return x + 1
        """
    )
    project.run_apart().assert_outcomes(passed=1, errors=1)
    kept = (project.path / "kept.txt").read_text("utf-8")
    assert kept == "2 items, 0 copies of the settings"
