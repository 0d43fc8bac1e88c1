"""The text of a contract file, and where a character of it stands."""

from __future__ import annotations

import bisect
import re
from dataclasses import dataclass

from pytest_compilecheck.contract.faults import Fault, Place

LABEL = "contract file"

_BOM = b"\xef\xbb\xbf"
MOST_BYTES = 1_000_000
"""What a contract file may have."""
_LINE_END = re.compile(r"\r\n|\r|\n")
UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""A character that YAML does not have but as an escape; none lies beyond the first 65,536."""


class UnreadableError(Exception):
    """A file cannot be read at all; its faults say why."""

    def __init__(self, *faults: Fault) -> None:
        """Take the faults."""
        self.faults = faults
        super().__init__(*faults)


@dataclass(frozen=True, slots=True)
class Text:
    """A text and the file that it is from; `starts` are the offsets of its `lines`."""

    file: str
    content: str
    starts: tuple[int, ...]
    lines: tuple[str, ...]

    def place(self, offset: int) -> Place:
        """The place of a character."""
        line = bisect.bisect_right(self.starts, offset)
        column = offset - self.starts[line - 1] + 1
        return Place(self.file, line, LABEL, column, self.lines[line - 1])


def decode(data: bytes, file: str, *, most: int = MOST_BYTES) -> Text:
    """The text of a file's bytes.

    Raises:
        UnreadableError: it is no UTF-8, too long, or holds characters that YAML does not have.
    """
    if len(data) > most:
        why = f"a contract file has at most {most:,} bytes, this one has {len(data):,}"
        raise UnreadableError(Fault(why, Place(file, 1, LABEL, source="")))
    data = data.removeprefix(_BOM)
    try:
        text = _text(file, data.decode())
    except UnicodeDecodeError as error:
        place = _text(file, data.decode(errors="replace")).place(len(data[: error.start].decode()))
        why = "this is no UTF-8 text: save the file as UTF-8"
        raise UnreadableError(Fault(why, place)) from None
    wrong = UNPRINTABLE.search(text.content)
    if wrong:
        why = f"the character U+{ord(wrong[0]):04X} cannot stand in YAML: write an escape in quotes"
        raise UnreadableError(Fault(why, text.place(wrong.start())))
    return text


def _text(file: str, content: str) -> Text:
    starts = (0, *(match.end() for match in _LINE_END.finditer(content)))
    ends = (*starts[1:], len(content))
    lines = tuple(content[start:end] for start, end in zip(starts, ends, strict=True))
    return Text(file, content, starts, lines)
