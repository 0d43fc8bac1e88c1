"""Why a text is no YAML, in words that say what to do."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from pytest_compilecheck.contract.faults import Fault
from pytest_compilecheck.contract.file.text import Text


@dataclass(frozen=True, slots=True)
class _Wording:
    """`pattern` fits what one of PyYAML's two parsers says, as "problem (context)".

    In `text` {0} is the character at the place, {1} the one where the construct begins that the
    parser was in, {2} the line of that. `from_start` points there.
    """

    pattern: str
    text: str
    from_start: bool = False


_TAB: Final = _Wording(r"\ba tab\b", "a tab cannot stand here: indent with spaces")
_NOT_CLOSED: Final = _Wording(
    "end of stream .*quoted scalar", "the {1} that begins here is not closed", True
)
_NO_CHARACTER: Final = _Wording(
    "invalid Unicode", "this escape stands for no character: write the character itself"
)
_BRACKETS: Final = _Wording(
    "',' or '[}\\]]'",
    "a comma is missing before this, or the end of what begins with {1} in line {2}",
)
_NO_VALUE: Final = _Wording("node content", "a value is missing here")
_NO_KEY: Final = _Wording(
    "mapping values are not allowed|mapping keys are not allowed",
    "no key can stand here: indent it as those beside it, or put a text with ': ' in quotes",
)
_AT_END: Final = {
    _BRACKETS: _NOT_CLOSED,
    _NO_VALUE: _Wording("", "the file ends inside a bracket that is not closed"),
}
_WORDINGS: Final = (
    _TAB,
    _NO_CHARACTER,
    _Wording("cannot start any token", "no value begins with {0}: write it in quotes"),
    _Wording("could not find expected ':'", "expected 'key: value', with ': ' in it", True),
    _NO_KEY,
    _NOT_CLOSED,
    _BRACKETS,
    _Wording("block mapping", "expected 'key: value', indented as a key above it"),
    _Wording("block collection", "expected '- ', indented as in line {2}, where the list begins"),
    _Wording("sequence entries are not allowed", "a list begins in a line of its own"),
    _NO_VALUE,
    _Wording("anchor", "& begins an anchor, such as &base: write a text in quotes", True),
    _Wording("alias", "* begins an alias, such as *base: write a text in quotes", True),
    _Wording(r"scanning a tag|parsing a tag", "! begins a tag: write a text in quotes", True),
    _Wording("block scalar", "after | and > the text begins in the next line"),
    _Wording(
        "escape|hexa?decimal",
        "double quotes have no such escape: write the backslash twice, or single quotes",
    ),
    _Wording("nesting depth", "values are nested too deep"),
    _Wording("unexpected ':'", "write a text with a ':' in it in quotes"),
    _Wording("directive|document start", "expected 'key: value', got {0}"),
)


def syntax_fault(error: Any, text: Text) -> Fault:
    """The fault for an error of PyYAML."""
    problem = getattr(error, "problem", None) or str(error)
    context = getattr(error, "context", None)
    message = f"{problem} ({context})" if context else problem
    end = len(text.content)
    start, at = _offset(error, "context_mark", end), _offset(error, "problem_mark", end)
    if at is None:
        at = 0 if start is None else start
    if start is None:
        start = at
    wording = _wording(message, text.content[at:])
    if wording is None:
        return Fault(f"no YAML: {message}", text.place(at))
    if wording is _NO_CHARACTER:
        return escape_fault(text, start)
    if wording is _NO_KEY:
        colon = _colon_above(text.content, at)
        if colon is not None:
            return Fault("no YAML: a blank is missing after this ':'", text.place(colon))
    inside = (_character(text, at), _character(text, start), text.place(start).line)
    place = text.place(start if wording.from_start else at)
    return Fault(f"no YAML: {wording.text.format(*inside)}", place)


def escape_fault(text: Text, offset: int = 0, otherwise: object = _NO_CHARACTER.text) -> Fault:
    """The fault of an escape for what is no character, from `offset` on.

    PyYAML's parser in C refuses one; that in Python does not, or with an error of its own.
    """
    found = _NO_ESCAPE.search(text.content, offset)
    if found is None:
        return Fault(f"no YAML: {otherwise}", text.place(offset))
    return Fault(f"no YAML: {_NO_CHARACTER.text}", text.place(found.start()))


_KEY_WITHOUT_BLANK: Final = re.compile(
    r"(?:^|\n)[ ]*(?P<key>[A-Za-z_]\w*):[^\s:/][^\n#]*\Z", re.ASCII
)
_NO_ESCAPE: Final = re.compile(r"\\u[dD][89a-fA-F]|\\U(?!000[0-9a-fA-F]|0010)")


def _wording(message: str, rest: str) -> _Wording | None:
    """The wording for what a parser says before the rest of the text."""
    if rest.startswith("\t"):
        return _TAB
    found = next((each for each in _WORDINGS if re.search(each.pattern, message)), None)
    return found if found is None or rest.strip() else _AT_END.get(found, found)


def _colon_above(content: str, offset: int) -> int | None:
    """The colon without a blank that made one text of the line above and the one at the offset."""
    above = content.rfind("\n", 0, offset)
    found = None if above < 0 else _KEY_WITHOUT_BLANK.search(content, 0, above)
    return None if found is None else found.end("key")


def _offset(error: Any, name: str, end: int) -> int | None:
    mark = getattr(error, name, None)
    return None if mark is None else min(mark.index, end)


def _character(text: Text, offset: int) -> str:
    character = text.content[offset : offset + 1]
    return character if character.strip() else "the end of the line"
