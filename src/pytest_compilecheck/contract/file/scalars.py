"""What a scalar of YAML 1.2 means: text, numbers, true, false and null."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

_NULL: Final = ("", "~", "null", "Null", "NULL")
_BOOLS: Final = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INT: Final = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_ZEROS: Final = re.compile(r"[-+]?0[0-9]+")
_INFINITE: Final = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
# Beyond this no number of a contract lies, and Python takes long to read it.
_MOST_DIGITS: Final = 400

# What YAML 1.1 and other dialects take for something else than the text that it is here.
_DIALECTS: Final = (
    (re.compile(r"(?i:y|yes|on)"), "plain {0} is a text in YAML 1.2: write true"),
    (re.compile(r"(?i:n|no|off)"), "plain {0} is a text in YAML 1.2: write false"),
    (re.compile(r"[-+]?[0-9]+(?::[0-9]+)+"), "plain {0} is a text in YAML 1.2"),
    (re.compile(r"[-+]?(?:0[0-9_]+|0[xob][0-9a-fA-F_]+)"), "write {0} as a decimal number"),
    (re.compile(r"[-+]?[0-9][0-9_]*_[0-9_]*"), "write {0} without underscores"),
    (re.compile(r"(?i:none|nil)"), "plain {0} is a text in YAML: write null"),
    (re.compile(r"(?i:[-+]?inf(?:inity)?|nan)"), "plain {0} is a text in YAML"),
)

_STANDARD: Final = "tag:yaml.org,2002:"


class ScalarError(ValueError):
    """A tag that means nothing here, or one that the text does not fit."""


def resolve(text: str, tag: str | None, *, plain: bool) -> tuple[object, str]:
    """The value of a scalar, and a note where other dialects of YAML would see another.

    Raises:
        ScalarError: the tag is not a standard one, or the text does not fit it.
    """
    if tag is None:
        return (_plain(text), _note(text)) if plain else (text, "")
    if tag in ("!", f"{_STANDARD}str"):
        return text, ""
    fits = _TAGGED.get(tag.removeprefix(_STANDARD)) if tag.startswith(_STANDARD) else None
    if fits is None:
        raise ScalarError(unknown_tag(tag))
    value = _plain(text)
    if not fits(value):
        raise ScalarError(f"{text!r} does not fit its tag {_shorthand(tag)}")
    return (float(value) if isinstance(value, int) and tag.endswith("float") else value), ""


def is_collection_tag(tag: str | None, kind: str) -> bool:
    """Whether a list ("seq") or a mapping ("map") may carry the tag."""
    return tag in (None, "!", f"{_STANDARD}{kind}")


def unknown_tag(tag: str) -> str:
    """For a message: the tag as a person writes it, and what to do."""
    return f"the tag {_shorthand(tag)} means nothing here: leave it out"


def _shorthand(tag: str) -> str:
    return "!!" + tag.removeprefix(_STANDARD) if tag.startswith(_STANDARD) else tag


def _plain(text: str) -> object:
    if text in _NULL:
        return None
    if text in _BOOLS:
        return _BOOLS[text]
    if len(text) > _MOST_DIGITS:
        return text
    if _INT.fullmatch(text):
        return int(text)
    if _INFINITE.fullmatch(text):
        return float(text.replace(".", "", 1))
    if _FLOAT.fullmatch(text) and not _ZEROS.fullmatch(text):
        return float(text)
    return text


def _note(text: str) -> str:
    for pattern, note in _DIALECTS:
        if pattern.fullmatch(text):
            return note.format(text)
    return ""


_TAGGED: Final[dict[str, Callable[[object], bool]]] = {
    "null": lambda value: value is None,
    "bool": lambda value: isinstance(value, bool),
    "int": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "float": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
}
