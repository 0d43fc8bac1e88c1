"""Releases of torch as a baseline keeps figures for them: "2.13" for 2.13.0 and its patches."""

from __future__ import annotations

import re
from collections.abc import Iterable

_MINOR = re.compile(r"(\d+)\.(\d+)")


def minor_release(version: str) -> str:
    """The minor release of a version: "2.13" of "2.13.0+cpu" and of a nightly of it."""
    found = _MINOR.match(version)
    return f"{found[1]}.{found[2]}" if found else version


def nearest(release: str, recorded: Iterable[str]) -> str | None:
    """The release whose figures hold: the same, else the last before it, else the first after."""
    known = sorted(recorded, key=order)
    before = [each for each in known if order(each) <= order(release)]
    if before:
        return before[-1]
    return known[0] if known else None


def order(release: str) -> tuple[int, ...]:
    """For sorting: 2.9 comes before 2.10."""
    return tuple(int(digits) for digits in re.findall(r"\d+", release))
