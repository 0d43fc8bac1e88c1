"""The patterns of the setting `compilecheck_files`."""

from __future__ import annotations

import re


def fits(path: str, pattern: str) -> bool:
    """Whether a relative path, or its end from some folder on, fits a pattern with ** in it."""
    pieces = re.split(r"(\*\*/|\*|\?)", pattern)
    words = {"**/": "(?:[^/]+/)*", "*": "[^/]*", "?": "[^/]"}
    expression = "".join(words.get(piece, re.escape(piece)) for piece in pieces)
    return re.fullmatch(f"(?:.*/)?{expression}", path) is not None
