"""Figures of graphs that leave out rebuilds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TypeVar

from pytest_compilecheck.observe.recording.conversion import Graph

T = TypeVar("T")


def without_rebuilds(counts: Iterable[tuple[Graph, Counter[T]]]) -> Counter[T]:
    """How often graphs that are no rebuilds have each thing.

    Of what only rebuilds have, the most often that one of them has it.
    """
    first: Counter[T] = Counter()
    rebuilt: Counter[T] = Counter()
    for graph, count in counts:
        if graph.rebuild:
            rebuilt |= count
        else:
            first += count
    return first + Counter({each: most for each, most in rebuilt.items() if each not in first})
