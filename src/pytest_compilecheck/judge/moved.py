"""Tells graph breaks that two runs name differently from those that are really gone, and new."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

from pytest_compilecheck.judge.findings import Finding

Lines = Mapping[Finding, frozenset[str]]
"""The text of the lines at which a finding stands, by finding."""


@dataclass(frozen=True, slots=True, order=True)
class Moved:
    """Breaks that are in both runs, by the name that each has for them.

    They have one cause (GB id or reason) and one line of code, in another function or file. Or,
    between two releases of torch, which may name a cause anew: one file, and one line of code or
    one function, with another cause. `count` of them are neither gone nor new.
    """

    before: Finding
    after: Finding
    count: int


def moved(
    gone: Counter[Finding],
    new: Counter[Finding],
    lines_before: Lines,
    lines_after: Lines,
    *,
    reworded: bool,
) -> list[Moved]:
    """Pairs what is gone with what is new, the surest pairs first.

    A pair has one cause and one line of code, in another function or file; or, where torch may
    have changed its words between the runs (`reworded`), one file, and one line of code or one
    function, by another cause.
    """
    left_gone, left_new = Counter(gone), Counter(new)
    pairs = []
    for before, after in product(gone, new):
        same_line = bool(
            lines_before.get(before, frozenset()) & lines_after.get(after, frozenset()) - {""}
        )
        rank = _rank(before, after, same_line=same_line, reworded=reworded)
        if rank is not None:
            # Without the direction: the same pairs are found when the runs are swapped.
            pairs.append((rank, sorted((before, after)), before, after))
    found = []
    for _, _, before, after in sorted(pairs):
        count = min(left_gone[before], left_new[after])
        if count:
            left_gone[before] -= count
            left_new[after] -= count
            found.append(Moved(before, after, count))
    return sorted(found)


def _rank(before: Finding, after: Finding, *, same_line: bool, reworded: bool) -> int | None:
    if before.kind != "graph_break" or after.kind != "graph_break":
        return None
    if before.contract != after.contract:
        return None
    if before.cause == after.cause:
        return 0 if same_line else None
    if not reworded or before.file != after.file:
        return None
    if same_line:
        return 1
    return 2 if before.function == after.function else None
