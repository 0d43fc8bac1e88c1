"""Names, numbers and torch's sentences as a reader should meet them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

# What comes after a break is compiled as a function of its own, under a name that torch invents.
_RESUMED = re.compile(r"torch_dynamo_resume_in_([\w<>.]+)_at_\d+")
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_IDENTITY = re.compile(r"___check_obj_id\((.+?), (?:\d+|<id>)\)")
_TYPE = re.compile(r"___check_type_id\((.+?), (?:\d+|<id>)\), type=")
_STACK_VALUE = re.compile(r"___stack\d+")
_ENTRY = re.compile(r"^\d+/\d+: ")
WEB_ADDRESS: Final = re.compile(r"https?://[^\s<>\"'`]+[^\s<>\"'`.,:;!?)\]]")
"""A web address in a text, without the punctuation that follows it."""


# A large report says the same of many contracts.
_KEPT: Final = 4096


# Controls, line and paragraph separators, lone surrogates; marks that turn the direction of
# writing; and what is not seen at all, so that two names look like one. Joiners (ZWJ, ZWNJ) are not
# seen either, and belong to ordinary words.
STEERS: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f"
    "\xad\u200b\u2060-\u2065\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
"""A character that is shown as an escape only."""


def printable(text: str) -> str:
    """The text with everything escaped that steers a terminal, breaks the line, or is not seen.

    For text of strangers, which all of a report is: ids of tests, files, messages. It stays one
    line. What else the place gives a meaning to (HTML, Markdown, a formula) is not its matter.
    """
    if text.isprintable():  # nothing that steers is
        return text
    return STEERS.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def printable_lines(text: str) -> str:
    """A text of several lines, each of them `printable`."""
    return "\n".join(map(printable, text.split("\n")))


def is_of_a_file(nodeid: str) -> bool:
    """Whether a contract stands in a YAML file, by the id of its item."""
    return nodeid.partition("::")[0].endswith((".yaml", ".yml"))


@lru_cache(maxsize=_KEPT)
def function_name(name: str) -> str:
    """The name that the author gave: what torch resumes after a break in F is F."""
    previous = None
    while name != previous:
        previous, name = name, _RESUMED.sub(r"\1", name)
    return printable(name)


@lru_cache(maxsize=_KEPT)
def sentence(text: str) -> str:
    """torch's own text on one line, without addresses and names that only torch knows."""
    told = _ADDRESS.sub("", " ".join(text.split()))
    told = _IDENTITY.sub(r"\1 is the very same object", told)
    told = _TYPE.sub(r"type(\1) is ", told)
    return function_name(_STACK_VALUE.sub("<value of the line that breaks>", told))


def first_paragraph(text: str) -> str:
    """`sentence` of what stands before the first blank line."""
    return sentence(re.split(r"\n\s*\n", text.strip(), maxsplit=1)[0])


@lru_cache(maxsize=_KEPT)
def guard_text(guard: str) -> str:
    """`sentence` of a guard: its first line, without torch's comment and number of the entry."""
    return sentence(_ENTRY.sub("", first_line(guard)).partition("  #")[0])


def first_line(text: str) -> str:
    """What stands before the first line break, blanks at both ends left out."""
    return text.strip().partition("\n")[0].rstrip()


def place(file: str, line: int, column: int | None = None) -> str:
    """A location that editors and terminals make clickable: "file:line:column"."""
    where = f"{printable(file)}:{line}"
    return where if column is None else f"{where}:{column}"


def place_in(function: str, file: str, line: int, column: int | None = None) -> str:
    """A location and its function: "model/mlp.py:9 in forward"."""
    return f"{place(file, line, column)} in {function_name(function)}"


def plural(count: float | None, noun: str) -> str:
    """A number and its noun: "1 call", "2 calls"; an unknown one is "? calls"."""
    return f"{number(count)} {noun}" if count == 1 else f"{number(count)} {noun}s"


def number(value: float | None) -> str:
    """A figure without needless digits; an unknown one is "?"."""
    if value is None:
        return "?"
    return str(value) if isinstance(value, int) else f"{value:.4g}"


def seconds_text(seconds: float | None) -> str:
    """Seconds of compiling: "0.25 s"; unknown ones are "? s"."""
    return "? s" if seconds is None else f"{seconds:.2f} s"


def memory_text(size: float | None) -> str:
    """A number of bytes: "35.2 MB"; an unknown one is "?"."""
    if size is None:
        return "?"
    power = min(int(math.log10(max(abs(size), 1))) // 3, 3)
    return f"{size / 1000**power:.3g} {('B', 'kB', 'MB', 'GB')[power]}"


def duration_text(seconds: float) -> str:
    """A time: "2.1 s", "35 ms", "12 µs"."""
    for unit, name in ((1, "s"), (1e-3, "ms")):
        if seconds >= unit:
            return f"{seconds / unit:.3g} {name}"
    return f"{seconds * 1e6:.3g} µs"


def sizes_text(sizes: Mapping[str, tuple[int, ...]]) -> str:
    """Sizes of a call's tensors: "x=(8, 128), mask=(8, 128)"."""
    return ", ".join(f"{printable(name)}={tuple(size)}" for name, size in sizes.items())
