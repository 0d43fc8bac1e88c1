"""JSON of large lists: an entry on each line, made one after the other."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Final

# Paths that are no valid UTF-8 hold lone surrogates; "\udc80" is how JSON writes one.
# What is encoded is made for it, and is no circle.
ENCODE: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, check_circular=False).encode
"""A value as JSON on one line; ValueError for a number that JSON has not."""


def rows(entries: Iterable[object], indent: str = "") -> Iterator[str]:
    """The pieces of a list with a line for each entry, whose data is needed for its piece alone."""
    start = f"[\n{indent} "
    is_empty = True
    for entry in entries:
        yield start if is_empty else f",\n{indent} "
        yield ENCODE(entry)
        is_empty = False
    yield "[]" if is_empty else f"\n{indent}]"
