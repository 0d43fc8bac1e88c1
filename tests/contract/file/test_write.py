from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_compilecheck.contract.file.compose import compose
from pytest_compilecheck.contract.file.text import decode
from pytest_compilecheck.contract.file.write import WIDTH, beside, comment, entry, flow


def read(text: str) -> Any:
    written, faults = compose(decode(text.encode(), "it.yaml"))
    assert faults == []
    return written.value


# A lone surrogate cannot be in a file; a long key is no key for YAML's parser.
TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=150) | st.sampled_from(
    ["on", "yes", "null", "1e3", "010", "12:30", "a: b", "a:", "- a", "<<", "~", "---", "B S 64"]
)
SCALAR = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT
DATA = st.recursive(
    SCALAR,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(TEXT, inner, max_size=5),
    max_leaves=20,
)


@given(DATA)
def test_what_is_written_is_read_again(value: Any) -> None:
    assert read("\n".join(entry("key", value, 0))) == {"key": value}
    assert read(flow([value])) == [value]


@given(TEXT, st.lists(TEXT, min_size=1))
def test_a_comment_hides_nothing_and_adds_nothing(text: str, value: list[str]) -> None:
    lines = [*comment(text, 2), *entry("key", value, 2)]
    lines[-1] = beside(lines[-1], text) or lines[-1]
    assert read("\n".join(lines)) == {"key": value}


def test_kinds_of_numbers_stay_apart() -> None:
    value = [1, 1.0, 1e-7, 1e300, True, None, math.inf]
    assert list(map(type, read(flow(value)))) == list(map(type, value))
    assert math.isnan(read(flow([math.nan]))[0])


@pytest.mark.parametrize(
    ("value", "line"),
    [
        ("transformers:Llama", "key: transformers:Llama"),
        ("B S 64", "key: B S 64"),
        ("8 64", 'key: "8 64"'),
        ("off", 'key: "off"'),
        ({"make": "a.b:C", "n": [1, 2]}, 'key: {make: "a.b:C", n: [1, 2]}'),
        ({}, "key: {}"),
    ],
)
def test_quotes_stand_where_they_are_needed(value: object, line: str) -> None:
    assert entry("key", value, 0) == [line]


def test_long_values_are_folded() -> None:
    value = {"one": ["x" * 60, "y" * 60], "two": [{"a": "v" * 70, "b": "w" * 70}], "three": 3}
    lines = entry("key", value, 2)
    assert lines[:3] == ["  key:", "    one:", f"      - {'x' * 60}"]
    assert f"      - a: {'v' * 70}" in lines
    assert max(map(len, lines)) <= WIDTH


def test_long_comments_are_folded() -> None:
    lines = comment("word " * 40, 4)
    assert len(lines) == 3
    assert all(line.startswith(("    # word", "    #   word")) for line in lines)
    assert beside("key: 1", "word " * 40) is None
    assert beside("key: 1", "1 was seen") == "key: 1  # 1 was seen"


def test_nothing_that_is_written_steers_a_terminal() -> None:
    text = flow("\u202egnp\u200b\x9b\x1b\ufeff")
    assert text == '"\\u202egnp\\u200b\\u009b\\u001b\\ufeff"'
