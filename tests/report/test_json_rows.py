from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_compilecheck.report.json_rows import encoded, rows
from pytest_compilecheck.report.wording import printable


def test_an_entry_on_each_line() -> None:
    assert "".join(rows([{"a": 1}, "ü\n"], " ")) == '[\n  {"a": 1},\n  "ü\\n"\n ]'


@pytest.mark.parametrize("entries", [[], [1], [[], {}, None]])
def test_it_is_json(entries: list[object]) -> None:
    assert json.loads("".join(rows(entries))) == entries


def test_entries_are_made_when_they_are_written() -> None:
    made = []

    def entries() -> Iterator[int]:
        for number in range(3):
            made.append(number)
            yield number

    pieces = rows(entries())
    next(pieces)
    assert made == [0]


def test_a_number_that_json_has_not_is_refused() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        list(rows([float("inf")]))


@given(st.text())
def test_nothing_of_it_steers_a_terminal(text: str) -> None:
    told = encoded({text: [text]})
    assert printable(told) == told
    assert json.loads(told) == {text: [text]}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("漢字 \U0001f525", '"漢字 \U0001f525"'),
        ("\x9b2J\x7f", r'"\u009b2J\u007f"'),
        ("\udc80.py", r'"\udc80.py"'),
        ("\U000e0041", r'"\udb40\udc41"'),
    ],
)
def test_what_is_escaped(text: str, told: str) -> None:
    assert encoded(text) == told
