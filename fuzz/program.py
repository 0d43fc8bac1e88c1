"""Draws a program: functions or a module to compile, and a trace of calls."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field

from fuzz.declarations import DECLARATIONS
from fuzz.grammar import (
    CONDITIONS,
    INTS,
    METHOD_CONDITIONS,
    METHOD_INTS,
    METHOD_TENSORS,
    STATEMENTS,
    TENSORS,
    Production,
)
from fuzz.trace import Steps

_HEAD = """\
import collections
import contextlib
import dataclasses
import functools
import logging
import random
import sys
import threading
import time
import typing
import warnings

import torch
import torch.nn.functional as F
import torch.utils.flop_counter
from torch import nn
from torch.utils.checkpoint import checkpoint

COUNT = 0
FLAG = True
ACT = torch.relu
LOG = []
SEEN = {}
LAST = torch.zeros(())


class Block(nn.Module):
    def forward(self, x):
        return x * 2 + 1


BLOCK = Block()
"""
_NET = """\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = 2
        self.steps = 0
        self.items = []
        self.block = Block()
        self.weight = nn.Parameter(torch.ones(1))
        self.blocks = nn.ModuleList([Block(), nn.ReLU()])
        self.pipe = nn.Sequential(nn.ReLU(), Block())
        self.cache = torch.zeros(1, 1)
        self.register_buffer("count", torch.ones(1))

"""
_FIELD = re.compile(r"\{(n|t|i|c|helper|method)\}")


@dataclass(frozen=True, slots=True)
class Program:
    """Source of a module that makes calls; `productions` are the statements in it, by name.

    The names `compiled` and `call` are given to the module by whoever runs it.
    """

    seed: int
    index: int
    source: str
    productions: frozenset[str]
    full_graph: bool
    settings: dict[str, object]  # of torch._dynamo.config
    before: int  # steps that are run before the watch begins
    fails_at: int | None  # which graph the backend refuses

    @property
    def print_lines(self) -> dict[str, int]:
        """What each print of a tag of its own writes first, and the line that breaks there."""
        lines = enumerate(self.source.splitlines(), 1)
        return {m[1]: number for number, line in lines if (m := re.search(r'print\("(p\d+)', line))}


@dataclass(slots=True)
class _Scope:
    """Where a statement stands."""

    room: int  # how deep statements may still nest
    method: bool = False
    helpers: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()

    def has(self, need: str) -> bool:
        """Whether what a production needs is here."""
        return {
            "self": self.method,
            "helper": bool(self.helpers),
            "method": self.method and bool(self.methods),
        }.get(need, True)

    def deeper(self) -> _Scope:
        """The scope of a block in it."""
        return _Scope(self.room - 1, self.method, self.helpers, self.methods)


@dataclass(slots=True)
class Writer:
    """Draws one program, by one source of chance."""

    rng: random.Random
    used: set[str] = field(default_factory=set)
    numbers: int = 0

    def function(self, name: str, scope: _Scope, size: int) -> list[str]:
        """A function or method of some statements."""
        head = f"def {name}(self, x, k):" if scope.method else f"def {name}(x, k):"
        return [
            head,
            "    global COUNT, LAST",
            *_indented(self.block(scope, size)),
            "    return x",
            "",
        ]

    def block(self, scope: _Scope, size: int) -> list[str]:
        """Some statements."""
        return [line for _ in range(size) for line in self.statement(scope)]

    def statement(self, scope: _Scope) -> list[str]:
        """One statement, with those that stand inside it."""
        open_to = [p for p in STATEMENTS if scope.has(p.needs) and (scope.room or not p.nests)]
        chosen = self.rng.choices(open_to, [p.weight for p in open_to])[0]
        self.used.add(chosen.name)
        return self._written(chosen, scope)

    def _written(self, production: Production, scope: _Scope) -> list[str]:
        self.numbers += 1
        number = self.numbers
        lines: list[str] = []
        for line in production.text.split("\n"):
            if line.strip() == "{block}":
                indent = line[: -len("{block}")]
                block = self.block(scope.deeper(), self.rng.choice((1, 1, 1, 2)))
                lines += [indent + inner for inner in block]
            else:
                lines.append(self._filled(line, number, scope))
        return lines

    def _filled(self, line: str, number: int, scope: _Scope) -> str:
        def choice(match: re.Match[str]) -> str:
            kind = match[1]
            if kind == "n":
                return str(number)
            if kind in ("helper", "method"):
                return self.rng.choice(scope.helpers if kind == "helper" else scope.methods)
            plain, more = {
                "t": (TENSORS, METHOD_TENSORS),
                "i": (INTS, METHOD_INTS),
                "c": (CONDITIONS, METHOD_CONDITIONS),
            }[kind]
            drawn = self.rng.choice(plain + more if scope.method else plain)
            filled = self._filled(drawn, number, scope)
            return f"({filled})" if " " in filled and kind != "c" else filled

        return _FIELD.sub(choice, line)


def draw(seed: int, index: int) -> Program:
    """The program of this number; the same one each time."""
    rng = random.Random(f"{seed}/{index}")  # noqa: S311 - chance that can be repeated
    writer = Writer(rng)
    helpers = tuple(f"helper{i}" for i in range(rng.choice((0, 0, 1, 1, 2))))
    functions: list[str] = []
    for position, name in enumerate(helpers):
        scope = _Scope(room=1, helpers=helpers[position + 1 :])
        functions += [*writer.function(name, scope, rng.choice((1, 1, 2))), ""]
    as_module = rng.random() < 0.4
    if as_module:
        functions += _module(writer, helpers)
    else:
        scope = _Scope(room=2, helpers=helpers)
        functions += [*writer.function("run", scope, rng.choice((1, 2, 2, 3))), ""]
    second = rng.random() < 0.1 and helpers
    steps = Steps(rng, as_module=as_module, second=helpers[0] if second else None)
    body = "\n".join([*functions, *steps.lines()])
    source = "\n\n".join([_HEAD, *_declarations(body), body])
    used = frozenset(writer.used | steps.used)
    return Program(
        seed=seed,
        index=index,
        source=source,
        productions=used,
        full_graph=steps.full_graph,
        settings=steps.settings,
        before=steps.before,
        fails_at=steps.fails_at,
    )


def _module(writer: Writer, helpers: tuple[str, ...]) -> list[str]:
    rng = writer.rng
    methods = ("part",) if rng.random() < 0.6 else ()
    lines = _NET.splitlines()
    if methods:
        scope = _Scope(room=1, method=True, helpers=helpers)
        lines += _indented(writer.function("part", scope, rng.choice((1, 1, 2))))
    scope = _Scope(room=2, method=True, helpers=helpers, methods=methods)
    lines += _indented(writer.function("forward", scope, rng.choice((1, 2, 2, 3))))
    lines += ["", "NET = Net()", ""]
    optimized = any("OPT" in line for line in lines)
    return lines + ["OPT = torch.optim.SGD(NET.parameters(), lr=0.1)", ""] * optimized


def _declarations(body: str) -> list[str]:
    return [text for name, text in DECLARATIONS.items() if re.search(rf"\b{name}[(.]", body)]


def _indented(lines: list[str]) -> list[str]:
    return ["    " + line if line else line for line in lines]
