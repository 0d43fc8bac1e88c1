from __future__ import annotations

from typing import Any

import pytest
from report.values import observation, record

from pytest_compilecheck.judge.record import ids_of, is_within


@pytest.mark.parametrize(
    ("fields", "measured"),
    [
        ({}, True),
        ({"outcome": "xfailed"}, True),
        ({"outcome": "skipped"}, False),
        ({"outcome": "error"}, False),
        ({"error": "ValueError: x"}, False),
        ({"observed": None}, False),
    ],
)
def test_what_was_watched_to_its_end_is_measured(fields: dict[str, Any], measured: bool) -> None:
    assert record(**{"observed": observation(), **fields}).measured is measured


def test_names_tell_blocks_and_releases_apart() -> None:
    block = record(id="a.py::t", part="watch 1", torch="2.13.0")
    assert block.unit == "a.py::t (watch 1)"
    assert block.name == "a.py::t (watch 1) [torch 2.13.0]"


def test_a_unit_may_be_of_a_test_whose_block_it_is() -> None:
    assert list(ids_of("a.py::t")) == ["a.py::t"]
    assert list(ids_of("a.py::t (prefill (2))")) == [
        "a.py::t (prefill (2))",
        "a.py::t (prefill",
        "a.py::t",
    ]


def test_a_unit_lies_in_what_a_call_named() -> None:
    for path in (".", "tests", "tests/a.py", "tests/a.py::t", "tests/a.py::t[1]"):
        assert is_within("tests/a.py::t[1] (watch 1)", path)
    for path in ("test", "tests/a", "tests/a.py::", "tests/a.py::t2", "other"):
        assert not is_within("tests/a.py::t[1]", path)
    assert not is_within("../a.py::t", ".")
