from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_compilecheck.contract.yaml_spelling import in_yaml, shown


@pytest.mark.parametrize(
    ("message", "spelled"),
    [
        ("expected True, False or None, got None", "expected true, false or null, got null"),
        ("got 'None' and \"it's True\"", "got 'None' and \"it's True\""),
        ("got [True, 'True', {'a': None}]", "got [true, 'True', {'a': null}]"),
        ("the size -1 in ('B', -1) is negative", "the size -1 in ['B', -1] is negative"),
        ("2.5 in (2.5,) is no size", "2.5 in [2.5] is no size"),
        ("expected a shape such as (8, 128), got ()", "expected a shape such as [8, 128], got []"),
        ("got ('a)', None)", "got ['a)', null]"),
        ("0 or more (None for no bound)", "0 or more (null for no bound)"),
        ("write e.g. dims={'S': 8}", "write e.g. dims: {'S': 8}"),
        ("does nothing without match_eager=True", "does nothing without match_eager: true"),
        ("name backend='inductor'", "name backend: 'inductor'"),
        ("low=3 does not fit", "low: 3 does not fit"),
        ("'a=b' is no name", "'a=b' is no name"),
        ("expected a tuple of numbers", "expected a list of numbers"),
        ("expected a dict, or a list of dicts", "expected a mapping, or a list of mappings"),
        ("a fixture's value is None", "a fixture's value is null"),
        ("'it\\'s None'", "'it\\'s None'"),
        ("Nonesense, Truely and NoneType", "Nonesense, Truely and NoneType"),
    ],
)
def test_messages(message: str, spelled: str) -> None:
    assert in_yaml(message) == spelled
    assert in_yaml(spelled) == spelled


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "null"), (True, "true"), ("None", "'None'"), ([None, "a"], "[null, 'a']"), (5, "5")],
)
def test_values(value: object, text: str) -> None:
    assert shown(value) == text


@given(st.text())
def test_a_text_in_quotes_stays_as_it_is(text: str) -> None:
    assert in_yaml(f"got {text!r}") == f"got {text!r}"


@given(st.text())
def test_any_message_is_spelled_once(message: str) -> None:
    once = in_yaml(message)
    assert in_yaml(once).count("null") == once.count("null")
