"""Sentences about Python values, as a reader of YAML expects them."""

from __future__ import annotations

import re
from typing import Final

from pytest_compilecheck.contract import plain

_QUOTED: Final = r"(?<!\w)(?:'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")"
_PART: Final = re.compile(
    rf"(?P<quoted>{_QUOTED})"
    r"|\b(?P<word>True|False|None|a tuple|a dict|dicts)\b"
    r"|\b(?P<name>\w+)=(?=[\w'\"({\[])"
    rf"|\b(?P<before>in|as|got) \((?P<items>(?:[^()'\"]|{_QUOTED})*?),?\)"
)
_WORDS: Final = {
    "True": "true",
    "False": "false",
    "None": "null",
    "a tuple": "a list",
    "a dict": "a mapping",
    "dicts": "mappings",
}


def in_yaml(message: str) -> str:
    """A message with Python's words, tuples and keyword arguments as YAML has them.

    Texts in quotes stay as they are.
    """
    return _PART.sub(_spelled, message)


def shown(value: object) -> str:
    """A value for a message, short and in one line."""
    return in_yaml(plain.shown(value))


def _spelled(part: re.Match[str]) -> str:
    if part["quoted"]:
        return part["quoted"]
    if part["word"]:
        return _WORDS[part["word"]]
    if part["name"]:
        return f"{part['name']}: "
    return f"{part['before']} [{in_yaml(part['items'])}]"
