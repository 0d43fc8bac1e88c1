from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_compilecheck.report.wording import (
    first_paragraph,
    function_name,
    guard_text,
    number,
    place,
    place_in,
    plural,
    printable,
    printable_lines,
    sentence,
    sizes_text,
)


@given(st.text())
def test_printable_text_cannot_steer_a_terminal(text: str) -> None:
    shown = printable(text)
    assert not {unicodedata.category(char) for char in shown} & {"Cc", "Zl", "Zp", "Cs"}
    assert not set(shown) & UNSEEN
    shown.encode("utf-8")


@given(st.text(alphabet=st.characters(categories=["L", "N", "P", "Zs"])))
def test_printable_leaves_ordinary_text_alone(text: str) -> None:
    assert printable(text) == text


# All of Unicode's format characters but joiners of words and marks that are seen.
UNSEEN = set(
    "\xad\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2061\u2062\u2063\u2064\u2066"
    "\u2067\u2068\u2069\u206a\u206b\u206c\u206d\u206e\u206f\ufeff\ufff9\ufffa\ufffb\U000e0001"
) | set(map(chr, range(0xE0020, 0xE0080)))


@pytest.mark.parametrize("char", sorted(UNSEEN))
def test_marks_of_direction_and_what_is_not_seen_are_escaped(char: str) -> None:
    assert printable(f"a{char}b") == f"a{char.encode('unicode_escape').decode()}b"


@pytest.mark.parametrize("word", ["می\u200cشود", "क\u094d\u200dष", "👩\u200d🔬", "a\xa0b"])
def test_what_words_are_made_of_stays(word: str) -> None:
    assert printable(word) == word


def test_lines_stay_lines() -> None:
    assert printable_lines("a\x1b\nb\r\n") == "a\\x1b\nb\\r\n"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[31mb", r"a\x1b[31mb"),
        ("a\nb", r"a\nb"),
        ("\u202eevil", r"\u202eevil"),
        ("\udc80", r"\udc80"),
    ],
)
def test_printable_escapes(text: str, shown: str) -> None:
    assert printable(text) == shown


@pytest.mark.parametrize(
    ("torch_name", "name"),
    [
        ("forward", "forward"),
        ("torch_dynamo_resume_in_forward_at_12", "forward"),
        ("torch_dynamo_resume_in_look_at_3_at_10", "look_at_3"),
        ("torch_dynamo_resume_in_torch_dynamo_resume_in_f_at_3_at_5", "f"),
        ("torch_dynamo_resume_in_<lambda>_at_2", "<lambda>"),
    ],
)
def test_a_resumed_function_has_its_authors_name(torch_name: str, name: str) -> None:
    assert function_name(torch_name) == name


def test_a_sentence_is_one_line_without_addresses() -> None:
    text = "call of <function f at 0x7f00dead>\n   in torch_dynamo_resume_in_g_at_3  failed"
    assert sentence(text) == "call of <function f> in g failed"


def test_a_sentence_may_hold_several_guards() -> None:
    text = "___check_obj_id(f, 12), ___check_obj_id(g['a'], 34) and ___stack0"
    assert sentence(text) == (
        "f is the very same object, g['a'] is the very same object"
        " and <value of the line that breaks>"
    )


def test_a_first_paragraph_ends_at_a_blank_line() -> None:
    assert first_paragraph("\none\ntwo\n  \nthree") == "one two"
    assert first_paragraph("") == ""


@pytest.mark.parametrize(
    ("guard", "shown"),
    [
        ("0/0: tensor 'x' size mismatch at index 1", "tensor 'x' size mismatch at index 1"),
        ("0/1: n == 1      # return x * n  # m.py:9 in g\nUser stack trace:\n  File", "n == 1"),
        (
            "___check_obj_id(f, 140023), type=<class 'function'>",
            "f is the very same object, type=<class 'function'>",
        ),
        ("___check_type_id(k, 94), type=<class 'float'>", "type(k) is <class 'float'>"),
        ("___stack0 == 3", "<value of the line that breaks> == 3"),
    ],
)
def test_a_guard_is_told_without_what_only_torch_knows(guard: str, shown: str) -> None:
    assert guard_text(guard) == shown


def test_places() -> None:
    assert place("a.py", 3) == "a.py:3"
    assert place("a.py", 3, 8) == "a.py:3:8"
    assert place_in("torch_dynamo_resume_in_f_at_2", "a.py", 3, None) == "a.py:3 in f"
    assert place("a\n.py", 3) == r"a\n.py:3"


def test_numbers_and_nouns() -> None:
    assert [number(value) for value in (None, 3, 0.5, 2.0, 1 / 3)] == [
        "?",
        "3",
        "0.5",
        "2",
        "0.3333",
    ]
    assert [plural(count, "call") for count in (0, 1, 2)] == ["0 calls", "1 call", "2 calls"]


def test_sizes() -> None:
    assert sizes_text({"x": (8, 128), "m": (8,), "s": ()}) == "x=(8, 128), m=(8,), s=()"
    assert sizes_text({}) == ""
