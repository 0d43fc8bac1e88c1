"""Programs of which a reader can see what `torch.compile` makes of them.

Each is a module and the inputs of its calls, in order. What is right stands beside it: places that
break, recompiles as a person counts them, and calls that ran eagerly in whole or in part although
they should not have.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

import torch
from torch import nn


def many(number: int, noun: str) -> str:
    """`1 break`, `3 breaks`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


@dataclass(frozen=True)
class Truth:
    """What a person counts: break sites, recompiles, calls that fell back to eager."""

    breaks: int = 0
    recompiles: int = 0
    eager: int = 0

    def __str__(self) -> str:
        parts = many(self.breaks, "break"), many(self.recompiles, "recompile")
        said = [*parts, many(self.eager, "eager call")]
        return ", ".join(each for each in said if not each.startswith("0 ")) or "nothing"


@dataclass(frozen=True)
class Program:
    """`make` gives a fresh module; `sizes` has the shape of the one input of each call."""

    title: str
    make: Callable[[], nn.Module]
    sizes: Sequence[tuple[int, ...]]
    truth: Truth
    around: Callable[[], AbstractContextManager[object]] = nullcontext
    """What holds while it is compiled and called."""

    def inputs(self) -> list[torch.Tensor]:
        """Random inputs, the same each time."""
        generator = torch.Generator().manual_seed(0)
        return [torch.randn(size, generator=generator) for size in self.sizes]


class First(nn.Module):
    """Breaks before any operation."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        print(end="")
        return x.sin() + 1


class Middle(nn.Module):
    """Breaks between operations."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.sin()
        print(end="")
        return x + 1


class Deep(nn.Module):
    """Breaks in a helper's helper, both inlined."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.outer(x.sin()) + 1

    def outer(self, x: torch.Tensor) -> torch.Tensor:
        return self.inner(x.cos()) * 2

    def inner(self, x: torch.Tensor) -> torch.Tensor:
        x = x.tanh()
        print(end="")
        return x.exp()


class Branch(nn.Module):
    """Branches on a value of a tensor."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.sin()
        if x.sum() > 0:
            return x + 1
        return x - 1


class Guarded(nn.Module):
    """Breaks in a `try`, from where torch cannot go on: the whole function runs eagerly."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        try:
            x = x.sin()
            print(end="")
            return x + 1
        finally:
            self.seen = True


class Loop(nn.Module):
    """Breaks in a loop, from where torch cannot go on: the whole function runs eagerly."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for _ in range(5):
            x = x.sin()
            print(end="")
        return x


class Item(nn.Module):
    """Reads a number out of a tensor, which plain `torch.compile` breaks on."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * x.sum().item()


class Pieces(nn.Module):
    """Three breaks, so four pieces: all are rebuilt for a new length."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.sin()
        print(end="")
        x = x.cos()
        print(end="")
        x = x.tanh()
        print(end="")
        return x + 1


class Plain(nn.Module):
    """Has nothing to break on."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.sin() + 1


class Counter(nn.Module):
    """Counts its calls in a Python number, which each compilation assumes."""

    def __init__(self) -> None:
        super().__init__()
        self.step = 0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.step += 1
        return x * self.step


_ONE = [(4, 8)]

PROGRAMS: tuple[Program, ...] = (
    Program("a break before the first operation", First, _ONE, Truth(breaks=1)),
    Program("a break between operations", Middle, _ONE, Truth(breaks=1)),
    Program("a break two calls deep", Deep, _ONE, Truth(breaks=1)),
    Program("a branch on a tensor", Branch, _ONE, Truth(breaks=1)),
    Program("`.item()`", Item, _ONE, Truth(breaks=1)),
    Program("a break in a `try`", Guarded, _ONE, Truth(breaks=1, eager=1)),
    Program("a break in a loop", Loop, _ONE, Truth(breaks=1, eager=1)),
    Program("a new length", Plain, [(4, 8), (4, 9)], Truth(recompiles=1)),
    Program("a new length, in four pieces", Pieces, [(4, 8), (4, 9)], Truth(3, recompiles=1)),
    Program("a number that counts calls", Counter, [(4, 8)] * 4, Truth(recompiles=3)),
    Program(
        "ten ranks, of which torch compiles eight",
        Plain,
        [(2,) * rank for rank in range(1, 11)],
        Truth(recompiles=7, eager=2),
    ),
    Program(
        "an eager stance that was left on",
        Plain,
        _ONE,
        Truth(eager=1),
        around=lambda: torch.compiler.set_stance("force_eager"),
    ),
)
