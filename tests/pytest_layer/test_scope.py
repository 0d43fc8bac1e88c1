from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from pytest_compilecheck.pytest_layer.ending.scope import Scope


def ids(*names: str) -> frozenset[str]:
    return frozenset(names)


@pytest.mark.parametrize(
    ("fields", "complete"),
    [
        ({}, True),
        ({"ran": ids("a.py::t"), "unmeasured": ids("a.py::u")}, True),
        ({"left_out": ids("a.py::t")}, True),
        ({"narrowed": True}, True),
        ({"certain": False}, True),
        ({"missing": ids("a.py::t")}, False),
        ({"collected": False}, False),
        ({"finished": False}, False),
    ],
)
def test_a_run_is_complete_when_all_that_was_chosen_has_run(
    fields: dict[str, Any], complete: bool
) -> None:
    assert Scope(**fields).complete is complete


SCOPE = Scope(
    ran=ids("a.py::ran", "a.py::each[x (1)]"),
    unmeasured=ids("a.py::skipped"),
    left_out=ids("a.py::left", "a.py::ran (left)"),
    missing=ids("a.py::lost"),
)


@pytest.mark.parametrize(
    ("contract", "covered"),
    [
        ("a.py::ran", True),
        ("a.py::ran (watch 1)", True),
        ("a.py::each[x (1)]", True),
        ("a.py::gone", True),
        ("gone.py::gone (watch 1)", True),
        ("a.py::skipped", False),
        ("a.py::skipped (watch 1)", False),
        ("a.py::left", False),
        ("a.py::lost", False),
        ("a.py::ran (block (2))", True),
        ("a.py::left (block (2))", False),
        ("a.py::ran (left)", False),
    ],
)
def test_what_a_whole_suite_covers(contract: str, covered: bool) -> None:
    assert SCOPE.covers(contract) is covered


@pytest.mark.parametrize(
    "fields",
    [{"collected": False}, {"finished": False}, {"narrowed": True}, {"certain": False}],
)
def test_a_run_that_may_have_missed_some_covers_what_ran_alone(fields: dict[str, bool]) -> None:
    scope = dataclasses.replace(SCOPE, **fields)
    assert scope.covers("a.py::ran")
    assert not scope.covers("a.py::gone")


@pytest.mark.parametrize(
    ("path", "contract", "covered"),
    [
        ("tests", "tests/test_a.py::t", True),
        ("tests", "tests_b/test_a.py::t", False),
        ("tests/test_a.py", "tests/test_a.py::t", True),
        ("tests/test_a.py::TestA", "tests/test_a.py::TestA::t", True),
        ("tests/test_a.py::TestA", "tests/test_a.py::TestAB::t", False),
        ("tests/test_a.py::t", "tests/test_a.py::t[1]", True),
        ("tests/test_a.py::t", "tests/test_a.py::t (watch 1)", True),
        ("tests/test_a.py::t", "tests/test_a.py::u", False),
        ("tests/test_a.py::t[1]", "tests/test_a.py::t[2]", False),
        (".", "tests/test_a.py::t", True),
        (".", "../elsewhere/test_a.py::t", False),
        ("../elsewhere", "../elsewhere/test_a.py::t", True),
    ],
)
def test_a_contract_is_gone_only_where_the_run_looked(
    path: str, contract: str, covered: bool
) -> None:
    assert Scope(paths=(path,)).covers(contract) is covered
    assert Scope(paths=("elsewhere", path)).covers(contract) is covered


def test_nobody_looked_into_what_is_ignored() -> None:
    scope = Scope(ignored=("tests/slow", "tests/gpu_*", "*/test_old.py"))
    assert not scope.covers("tests/slow/test_a.py::t")
    assert not scope.covers("tests/gpu_2/test_a.py::t")
    assert not scope.covers("tests/unit/test_old.py::t")
    assert scope.covers("tests/slower/test_a.py::t")
