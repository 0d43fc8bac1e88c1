"""Figures that a watch cannot know, and why: plain values, without torch or pytest."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal, get_args

Figure = Literal[
    "calls",
    "graph_breaks",
    "recompiles",
    "fallbacks",
    "hit_rate",
    "graphs",
    "captured_ops",
    "graph_launches",
    "compile_seconds",
    "kernels",
    "opaque_ops",
    "fragile_guards",
    "dynamic_dims",
]
FIGURES: Final[tuple[Figure, ...]] = get_args(Figure)


@dataclass(frozen=True, slots=True)
class Doubt:
    """Figures that are unknown in a whole process, because torch did not tell what they are of.

    `why` is the end of a sentence that begins with "unknown, because".
    """

    figures: tuple[Figure, ...]
    why: str


def why_unknown(doubts: Iterable[Doubt], figure: Figure) -> str:
    """Why a figure is unknown, "" where nothing makes it so."""
    return "; ".join(doubt.why for doubt in doubts if figure in doubt.figures)
