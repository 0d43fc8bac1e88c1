from __future__ import annotations

import pytest

from pytest_compilecheck.pytest_layer.collecting.named_paths import ignored, named, named_paths


def test_the_paths_of_a_call_start_at_the_rootdir(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makeini("[pytest]\ntestpaths = tests\n")
    below = pytester.mkdir("tests")
    (below / "test_a.py").write_text("def test_a(): pass\n")
    assert named(pytester.parseconfig()) == ("tests",)
    monkeypatch.chdir(below)
    config = pytester.parseconfig("test_a.py::test_a", "..", "--ignore=slow", "--ignore-glob=gpu_*")
    assert named(config) == ("tests/test_a.py::test_a", ".")
    assert named_paths(config) == {below / "test_a.py", pytester.path}
    assert ignored(config) == ("tests/slow", "tests/gpu_*")
