"""Runs of calls, folded: "3-5 hit"."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby


def number_ranges(numbers: Iterable[int]) -> str:
    """Numbers in order, each once, three or more in a row as a range: "0, 1, 8-10"."""
    numbers = set(numbers)
    if len(numbers) == 1:
        return str(*numbers)
    in_order = enumerate(sorted(numbers))
    runs = groupby(in_order, key=lambda item: item[1] - item[0])
    return ", ".join(_run_text([number for _, number in run]) for _, run in runs)


def _run_text(run: list[int]) -> str:
    return ", ".join(map(str, run)) if len(run) < 3 else f"{run[0]}-{run[-1]}"


def calls_text(calls: Iterable[int]) -> str:
    """The calls with their noun: "call 1", "calls 0, 1, 8-10"."""
    distinct = set(calls)
    return f"{'call' if len(distinct) == 1 else 'calls'} {number_ranges(distinct)}"


def fold_kinds(calls: Sequence[tuple[int, str]]) -> list[str]:
    """(call, kind) pairs, neighbours of one kind as one: "0 compile", "1 hit", "3-5 hit"."""
    runs = groupby(enumerate(calls), key=lambda item: (item[1][1], item[1][0] - item[0]))
    return [_span_text([call for _, (call, _) in run], kind) for (kind, _), run in runs]


def _span_text(run: list[int], kind: str) -> str:
    return f"{run[0]} {kind}" if len(run) == 1 else f"{run[0]}-{run[-1]} {kind}"
