from __future__ import annotations

import pytest

from pytest_compilecheck.contract.faults import Fault
from pytest_compilecheck.contract.file.text import UnreadableError, decode


def refused(data: bytes) -> Fault:
    with pytest.raises(UnreadableError) as caught:
        decode(data, "a.yaml")
    (fault,) = caught.value.faults
    return fault


@pytest.mark.parametrize(
    ("content", "mark", "line", "column", "source"),
    [
        ("a: 1\nb: 2\n", "2", 2, 4, "b: 2\n"),
        ("a: 1\r\nb: 2\r\n", "2", 2, 4, "b: 2\r\n"),
        ("a: 1\rb: 2", "2", 2, 4, "b: 2"),
        ("\n\n\nb", "b", 4, 1, "b"),
        ("漢字: é\u0301 b", "b", 1, 8, "漢字: é\u0301 b"),
        ("\U0001f600 b", "b", 1, 3, "\U0001f600 b"),
        ("a\u2028b", "b", 1, 3, "a\u2028b"),  # no editor counts a line there
    ],
)
def test_places_count_characters_and_lines_as_editors_do(
    content: str, mark: str, line: int, column: int, source: str
) -> None:
    place = decode(content.encode(), "a.yaml").place(content.index(mark))
    assert (place.line, place.column, place.source) == (line, column, source)


def test_the_end_of_a_text_has_a_place() -> None:
    place = decode(b"a\n", "a.yaml").place(2)
    assert (place.line, place.column, place.source) == (2, 1, "")


def test_a_byte_order_mark_is_no_part_of_the_text() -> None:
    text = decode(b"\xef\xbb\xbfa: 1", "a.yaml")
    assert text.content == "a: 1"
    assert text.place(0).column == 1


@pytest.mark.parametrize(
    ("data", "line", "column", "source"),
    [
        (b"a: 1\nb: \xe9t\xe9\n", 2, 4, "b: \ufffdt\ufffd\n"),
        (b"\xff\xfea\x00", 1, 1, "\ufffd\ufffda\0"),
        ("é: ".encode() + b"\xe9", 1, 4, "é: \ufffd"),
    ],
)
def test_what_is_no_utf_8(data: bytes, line: int, column: int, source: str) -> None:
    fault = refused(data)
    assert fault.message == "this is no UTF-8 text: save the file as UTF-8"
    assert fault.place is not None
    assert (fault.place.line, fault.place.column) == (line, column)
    assert fault.place.source == source


@pytest.mark.parametrize("character", ["\0", "\x1f", "\x7f", "\ufffe"])
def test_a_character_that_yaml_does_not_have(character: str) -> None:
    fault = refused(f"a: 1\nb: x{character}\n".encode())
    code = f"U+{ord(character):04X}"
    assert fault.message == f"the character {code} cannot stand in YAML: write an escape in quotes"
    assert fault.place is not None
    assert (fault.place.line, fault.place.column) == (2, 5)


def test_a_file_that_is_too_long() -> None:
    decode(b" " * 1_000_000, "a.yaml")
    assert "at most 1,000,000 bytes, this one has 1,000,001" in refused(b" " * 1_000_001).message
