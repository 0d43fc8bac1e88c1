from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_compilecheck.contract.file.scalars import ScalarError, resolve

STANDARD = "tag:yaml.org,2002:"


def plain(text: str) -> object:
    return resolve(text, None, plain=True)[0]


def note(text: str) -> str:
    return resolve(text, None, plain=True)[1]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *((text, None) for text in ("", "~", "null", "Null", "NULL")),
        *((text, True) for text in ("true", "True", "TRUE")),
        *((text, False) for text in ("false", "False", "FALSE")),
        *[("0", 0), ("-1", -1), ("+7", 7), ("123", 123), ("-0", 0)],
        *[("1.5", 1.5), ("1e3", 1000.0), (".5", 0.5), ("-1.", -1.0), ("1E-2", 0.01), ("0.0", 0.0)],
        *[(".inf", math.inf), ("-.Inf", -math.inf), ("+.INF", math.inf)],
    ],
)
def test_values_of_plain_scalars(text: str, value: object) -> None:
    assert plain(text) == value
    assert type(plain(text)) is type(value)
    assert note(text) == ""


def test_what_is_no_number() -> None:
    assert math.isnan(plain(".nan"))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        *[("yes", "write true"), ("On", "write true"), ("y", "write true")],
        *[("no", "write false"), ("off", "write false"), ("N", "write false")],
        *[("010", "write 010 as a decimal number"), ("-007", "decimal"), ("0x1F", "decimal")],
        *[("0o17", "decimal"), ("0b11", "decimal"), ("1_000", "write 1_000 without underscores")],
        *[("12:30", "is a text in YAML 1.2"), ("1:2:3", "is a text")],
        *[
            ("None", "write null"),
            ("nil", "write null"),
            ("inf", "is a text"),
            ("NaN", "is a text"),
        ],
    ],
)
def test_texts_that_other_dialects_take_for_something_else(text: str, told: str) -> None:
    assert plain(text) == text
    assert told in note(text)
    assert resolve(text, None, plain=False) == (text, "")


@pytest.mark.parametrize("text", ["a", "1.2.3", "1e", "e3", "--1", "+", ".", "1 2", "tRue", "nuLL"])
def test_other_texts(text: str) -> None:
    assert resolve(text, None, plain=True) == (text, "")


@given(st.integers())
def test_ints_are_read_as_python_writes_them(number: int) -> None:
    assert plain(str(number)) == number


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_are_read_as_python_writes_them(number: float) -> None:
    assert plain(repr(number)) == number


@pytest.mark.parametrize("text", ["9" * 5000, "-" + "1" * 100_000, "1." + "0" * 100_000])
def test_numbers_beyond_reason_stay_texts(text: str) -> None:
    assert plain(text) == text


@pytest.mark.parametrize(
    ("text", "tag", "value"),
    [
        ("5", "str", "5"),
        ("true", "str", "true"),
        ("5", "int", 5),
        ("5", "float", 5.0),
        ("1e3", "float", 1000.0),
        ("", "null", None),
        ("True", "bool", True),
    ],
)
def test_standard_tags(text: str, tag: str, value: object) -> None:
    found, _ = resolve(text, STANDARD + tag, plain=False)
    assert found == value
    assert type(found) is type(value)


def test_the_tag_of_a_text() -> None:
    assert resolve("5", "!", plain=False) == ("5", "")


@pytest.mark.parametrize(
    ("text", "tag", "message"),
    [
        ("x", f"{STANDARD}int", "'x' does not fit its tag !!int"),
        ("1.5", f"{STANDARD}int", "'1.5' does not fit its tag !!int"),
        ("true", f"{STANDARD}int", "'true' does not fit its tag !!int"),
        ("yes", f"{STANDARD}bool", "'yes' does not fit its tag !!bool"),
        ("0", f"{STANDARD}null", "'0' does not fit its tag !!null"),
        ("x", "!x", "the tag !x means nothing here: leave it out"),
        ("x", f"{STANDARD}binary", "the tag !!binary means nothing here"),
        ("x", f"{STANDARD}python/name:os.system", "the tag !!python/name:os.system means nothing"),
    ],
)
def test_tags_that_do_not_fit(text: str, tag: str, message: str) -> None:
    with pytest.raises(ScalarError) as caught:
        resolve(text, tag, plain=False)
    assert str(caught.value).startswith(message)
