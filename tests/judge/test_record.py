from __future__ import annotations

from typing import Any

import pytest
from report.values import observation, record

from pytest_compilecheck.judge.record import is_among


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


def test_a_block_is_among_tests_by_its_own() -> None:
    assert is_among("a.py::t", {"a.py::t"})
    assert is_among("a.py::t (watch 1)", {"a.py::t"})
    assert is_among("a.py::t[x (1)]", {"a.py::t[x (1)]"})
    assert not is_among("a.py::t", {"a.py::t2"})
