"""JSON of large lists: an entry on each line, made one after the other."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Final

# Paths that are no valid UTF-8 hold lone surrogates; "\udc80" is how JSON writes one.
ENCODE: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
"""A value as JSON on one line; ValueError for a number that JSON has not."""


def rows_text(entries: Iterable[object], indent: str = "") -> str:
    """A list with a line for each entry; only the text of all entries is held, not their data."""
    rows = f",\n{indent} ".join(map(ENCODE, entries))
    return f"[\n{indent} {rows}\n{indent}]" if rows else "[]"
