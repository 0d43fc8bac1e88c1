"""The answers as a table in Markdown."""

from __future__ import annotations

from collections.abc import Iterable

import torch

from comparison.programs import PROGRAMS, Program
from comparison.ways import WAYS

SHORT_PROGRAMS = (
    "a break before the first operation",
    "a break two calls deep",
    "`.item()`",
    "a break in a `try`",
    "a new length, in four pieces",
    "ten ranks, of which torch compiles eight",
    "an eager stance that was left on",
)
SHORT_WAYS = tuple(way for way in WAYS if "counters" not in way)


def table(programs: Iterable[str] | None = None, ways: Iterable[str] | None = None) -> list[str]:
    """The lines; answers that are wrong in bold. All programs and ways without a choice."""
    chosen = tuple(ways or WAYS)
    wanted = set(programs or (each.title for each in PROGRAMS))
    head = ["a model with", "in truth", *chosen]
    rows = [_row(each, chosen) for each in PROGRAMS if each.title in wanted]
    return ["| " + " | ".join(cells) + " |" for cells in (head, ["---"] * len(head), *rows)]


def short_table() -> list[str]:
    """The rows and columns that the README shows."""
    return table(SHORT_PROGRAMS, SHORT_WAYS)


def _row(program: Program, ways: tuple[str, ...]) -> list[str]:
    return [program.title, str(program.truth), *(_cell(program, way) for way in ways)]


def _cell(program: Program, way: str) -> str:
    torch._dynamo.reset()
    with program.around():
        answer = WAYS[way](program)
    return answer.text if answer.right else f"**{answer.text}**"
