"""Runs pytest for a command, in its own process."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

# This package is imported already, so pytest cannot rewrite its asserts: nobody needs to hear that,
# and where a project makes errors of warnings it would end the run.
_EXPECTED = ("-W", "ignore::pytest.PytestAssertRewriteWarning")


def run_pytest(arguments: Sequence[str], plugins: Sequence[object]) -> int:
    """As `python -m pytest` in the current folder; gives pytest's exit status."""
    import pytest

    with _current_folder_imports():
        return int(pytest.main([*_EXPECTED, *arguments], plugins=plugins))


@contextmanager
def _current_folder_imports() -> Iterator[None]:
    """Let modules of the current folder be imported."""
    folder = os.getcwd()
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        with suppress(ValueError):
            sys.path.remove(folder)
