"""Which rows of a trace file become steps, and with which of these the others are counted."""

from __future__ import annotations

import heapq
import itertools
import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass

from pytest_compilecheck.contract.trace.rows import Row

Entry = tuple[Row, int]
"""Sizes and their weight."""


@dataclass(frozen=True, slots=True)
class ChosenSteps:
    """Sizes and weight of each step, in order of first appearance.

    `moved` is the weight of the rows that are counted with a step of other sizes; `uncovered` of
    these rows have no step that is at least as large in every dim.
    """

    steps: tuple[Entry, ...]
    moved: int = 0
    uncovered: int = 0


def choose_steps(entries: Sequence[Entry], most: int) -> ChosenSteps:
    """At most `most` steps from distinct rows.

    Each row that no other covers (is at least as large as in every dim) is kept, so that a step
    covers every row; if these alone are too many, one with the largest size in each dim. For the
    other places the rows are split into groups, and the largest row of each is kept: first by the
    dims of size 0 and 1, which torch compiles specially, then again and again the group of most
    weight in two halves. So frequent sizes get steps of their own, and the rest steps near to
    them; the most frequent rows alone would have all longer ones counted as the longest.

    Each other row is counted with the smallest step that covers it, or else with the nearest.
    """
    if len(entries) <= most:
        return ChosenSteps(tuple(entries))
    ascending = sorted(entries, key=lambda entry: (math.prod(entry[0]), entry[0]))
    kept = _largest([row for row, _ in entries], most)
    _add_of_groups(kept, ascending, most)
    weights = {row: weight for row, weight in entries if row in kept}
    return _with_others(weights, [entry for entry in ascending if entry[0] not in kept])


def _largest(rows: Sequence[Row], most: int) -> set[Row]:
    """The rows that no other covers, or one with the largest size in each dim."""
    found: set[Row] = set()
    for row in sorted(rows, reverse=True):  # what covers a row comes before it
        if not any(_covers(other, row) for other in found):
            found.add(row)
            if len(found) > most:
                break
    else:
        return found
    dims = range(len(rows[0]))
    return {max(rows, key=lambda row: (row[dim], math.prod(row))) for dim in dims[:most]}


def _add_of_groups(kept: set[Row], ascending: list[Entry], most: int) -> None:
    """Keep the largest row of each group, until there are `most`."""
    groups: list[tuple[int, int, list[Entry]]] = []
    number = itertools.count()  # orders groups of one weight
    made = _with_special_sizes(ascending)
    while True:
        for group in made:
            if len(kept) == most:
                return
            kept.add(group[-1][0])
            if len(group) > 1:
                heapq.heappush(groups, (-_weight(group), next(number), group))
        made = _halves(heapq.heappop(groups)[-1])


def _with_special_sizes(entries: Sequence[Entry]) -> list[list[Entry]]:
    """The rows in groups that have sizes 0 and 1 in the same dims."""
    groups: dict[Row, list[Entry]] = {}
    for entry in entries:
        groups.setdefault(tuple([min(size, 2) for size in entry[0]]), []).append(entry)
    return list(groups.values())


def _halves(group: list[Entry]) -> list[list[Entry]]:
    """The group split by the dim whose sizes differ most, as near to half its weight as may be."""
    columns = list(zip(*(row for row, _ in group), strict=True))
    dim = max(range(len(columns)), key=lambda dim: _spread(columns[dim]))
    by_size: dict[int, int] = {}
    for row, weight in group:
        by_size[row[dim]] = by_size.get(row[dim], 0) + weight
    sizes = sorted(by_size)
    half, below = _weight(group) / 2, 0
    for cut in sizes[:-1]:
        below += by_size[cut]
        if below >= half:
            break
    return [
        [entry for entry in group if entry[0][dim] <= cut],
        [entry for entry in group if entry[0][dim] > cut],
    ]


def _spread(sizes: Sequence[int]) -> float:
    return (max(sizes) + 1) / (min(sizes) + 1)


def _weight(group: Sequence[Entry]) -> int:
    return sum(weight for _, weight in group)


def _with_others(weights: dict[Row, int], others: Sequence[Entry]) -> ChosenSteps:
    moved = uncovered = 0
    ascending = sorted(weights, key=lambda row: (math.prod(row), row))
    places = [(row, _place(row)) for row in ascending]
    for row, weight in others:
        step = next((step for step in ascending if _covers(step, row)), None)
        if step is None:
            uncovered += 1
            step = _nearest(row, places)
        weights[step] += weight
        moved += weight
    return ChosenSteps(tuple(weights.items()), moved, uncovered)


def _nearest(row: Row, places: Sequence[tuple[Row, Sequence[float]]]) -> Row:
    here = _place(row)
    return min(places, key=lambda place: math.dist(place[1], here))[0]


def _covers(step: Row, row: Row) -> bool:
    return all(map(operator.ge, step, row))


def _place(row: Row) -> list[float]:
    """Where a row lies if ratios of sizes are distances."""
    return [math.log2(size + 1) for size in row]
