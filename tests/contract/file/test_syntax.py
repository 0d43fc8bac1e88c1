"""What is no YAML: told in plain words, at the right character, whichever parser reads it."""

from __future__ import annotations

import pytest
import yaml
from contract.file.loading import compose_faults, told, unmarked

from pytest_compilecheck.contract.file.syntax import syntax_fault
from pytest_compilecheck.contract.file.text import decode


@pytest.fixture(params=["C", "Python"])
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """PyYAML's two parsers; that in C is not everywhere."""
    if request.param == "Python":
        monkeypatch.delattr(yaml, "CSafeLoader")
    return str(request.param)


NOT_CLOSED = "the {} that begins here is not closed"
NO_KEY = "no key can stand here: indent it as those beside it, or put a text with ': ' in quotes"
NO_BLANK = "a blank is missing after this ':'"
COMMA = "a comma is missing before this, or the end of what begins with {} in line {}"
KEY = "expected 'key: value', indented as a key above it"
TAB = "a tab cannot stand here: indent with spaces"
QUOTES = "no value begins with {}: write it in quotes"
NO_ESCAPE = "double quotes have no such escape: write the backslash twice, or single quotes"
NO_CHARACTER = "this escape stands for no character: write the character itself"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: §[1, 2\n", NOT_CLOSED.format("[")),
        ("a:\n  b: §{c: 1\n\n", NOT_CLOSED.format("{")),
        ('a: §"b\nc: d\n', NOT_CLOSED.format('"')),
        ("a: §'b\n", NOT_CLOSED.format("'")),
        ("a: {b: 1\nc§: 2}\n", COMMA.format("{", 1)),
        ("a:\n  [1, 2§}\n", COMMA.format("[", 2)),
        ("a: b§: c\n", NO_KEY),
        ("a:\n  b§:c:d\n  e: f\n", NO_BLANK),
        ("b§:c\ne: f\n", NO_BLANK),
        ("http://c\ne§: f\n", NO_KEY),
        ("b: c:d\n  e§: f\n", NO_KEY),
        ("a: b\n  c§: d\n", NO_KEY),
        ("a:\n    b: 1\n  §c: 2\n", KEY),
        ("a:\n  - b\n  §c: 2\n", "expected '- ', indented as in line 2, where the list begins"),
        ("a: 1\n§b\nc: 1\n", "expected 'key: value', with ': ' in it"),
        ("a: §- b\n", "a list begins in a line of its own"),
        ("a: [1, §}\n", "a value is missing here"),
        ("a: §@b\n", QUOTES.format("@")),
        ("a: §`b`\n", QUOTES.format("`")),
        ("漢字: §%b\n", QUOTES.format("%")),
        ("a: §* b\n", "* begins an alias, such as *base: write a text in quotes"),
        ("a: §& b\n", "& begins an anchor, such as &base: write a text in quotes"),
        ("a:\n§\tb: 1\n", TAB),
        ("a: 1\r\n§\tb: 1\r\n", TAB),
        ("a: | §x\n", "after | and > the text begins in the next line"),
        ('a: "\\x§4g"\n', NO_ESCAPE),
    ],
)
@pytest.mark.usefixtures("parser")
def test_faults(text: str, message: str) -> None:
    plain, (place,) = unmarked(text)
    assert told(compose_faults(plain)) == [f"{place}: no YAML: {message}"]


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize("escape", ["\\ud83d\\ude00", "\\U00110000", "\\UFFFFFFFF"])
def test_escapes_of_no_character(escape: str) -> None:
    (fault,) = compose_faults(f'a: 1\nb: "x{escape}"\n')
    assert fault.message == f"no YAML: {NO_CHARACTER}"
    assert fault.place is not None
    assert (fault.place.line, fault.place.column) == (2, 6)


@pytest.mark.usefixtures("parser")
def test_an_escape_that_is_none() -> None:
    (fault,) = compose_faults('a: "\\q"\n')
    assert fault.message == f"no YAML: {NO_ESCAPE}"


@pytest.mark.usefixtures("parser")
def test_a_directive() -> None:
    (fault,) = compose_faults("%YAML 1.2\na: 1\n")
    assert fault.message.startswith("no YAML: expected 'key: value', got ")


def test_what_no_wording_fits_is_told_as_the_parser_says_it() -> None:
    error = yaml.scanner.ScannerError(problem="something new", context="while reading")
    assert syntax_fault(error, decode(b"a", "a.yaml")).message == (
        "no YAML: something new (while reading)"
    )
