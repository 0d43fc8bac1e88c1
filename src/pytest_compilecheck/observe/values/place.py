"""A place in Python source, as reports name it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One place in Python source; `file` is relative to the root where it lies under it."""

    file: str
    line: int
    function: str
