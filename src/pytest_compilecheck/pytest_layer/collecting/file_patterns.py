"""Patterns of files: of the setting `compilecheck_files`, and of pytest for files of tests."""

from __future__ import annotations

import re
from pathlib import Path

import pytest


def fits(path: str, pattern: str) -> bool:
    """Whether a relative path, or its end from some folder on, fits a pattern with ** in it."""
    pieces = re.split(r"(\*\*/|\*|\?)", pattern)
    words = {"**/": "(?:[^/]+/)*", "*": "[^/]*", "?": "[^/]"}
    expression = "".join(words.get(piece, re.escape(piece)) for piece in pieces)
    return re.fullmatch(f"(?:.*/)?{expression}", path) is not None


def is_test_file(config: pytest.Config, file: Path) -> bool:
    """Whether pytest looks for tests in a Python file that no call names."""
    return any(file.match(pattern) for pattern in config.getini("python_files"))
