"""The codes that plain Python gives a source file."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator
from types import CodeType

_ASSERT = b"assert"


def may_assert(file: str) -> bool:
    """Whether the word stands in a source file: most plugins do without, and need no search."""
    try:
        return _has_the_word(file, os.stat(file).st_mtime_ns)
    except (OSError, ValueError):
        return False  # nobody can say how it was written


@functools.lru_cache(maxsize=4000)
def _has_the_word(file: str, _changed: int) -> bool:
    with open(file, "rb") as source:
        return _ASSERT in source.read()


def written_codes(file: str) -> list[CodeType]:
    """All codes of a source file, compiled without rewriting; none where it cannot be read."""
    try:
        return _compiled(file, os.stat(file).st_mtime_ns)
    except (OSError, SyntaxError, ValueError):
        return []


@functools.lru_cache(maxsize=1000)
def _compiled(file: str, _changed: int) -> list[CodeType]:
    with open(file, "rb") as source:
        return list(codes_in(compile(source.read(), file, "exec", dont_inherit=True)))


def codes_in(code: CodeType) -> Iterator[CodeType]:
    """A code, and those of the functions and classes that are written in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes_in(constant)
