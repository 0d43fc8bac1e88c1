from __future__ import annotations

import importlib

import pytest

import pytest_compilecheck


def test_names_are_sorted_and_listed() -> None:
    names = pytest_compilecheck.__all__
    assert names == sorted(names)
    assert set(names) <= set(dir(pytest_compilecheck))


@pytest.mark.parametrize("name", pytest_compilecheck.__all__)
def test_every_name_is_there(name: str) -> None:
    found = getattr(pytest_compilecheck, name)
    assert found is getattr(importlib.import_module(found.__module__), name)


def test_another_name_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'compile_contracts'"):
        pytest_compilecheck.compile_contracts  # noqa: B018
