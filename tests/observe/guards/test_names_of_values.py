"""What changed is named as the author writes it, wherever it is held."""

from __future__ import annotations

import collections
import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest
import torch
from observe.facts import TORCH, calls
from observe.guards.scenarios import all_changes
from torch import nn

ones = torch.ones
X = ones(2, 3)
Told = tuple[str, str, str, str]
"""Holder, source, before, after."""


def told(run: Callable[[], object]) -> list[Told]:
    """The main change of each recompile."""
    return [(main.holder, main.source, main.expected, main.actual) for main, *_ in all_changes(run)]


# Modules in modules.


class Step(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.step = 0
        self.weight = nn.Parameter(ones(3))
        self.register_buffer("mean", ones(3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.step * self.weight + self.mean


class Tree(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList([Step(), Step()])
        self.heads = nn.ModuleDict({"a": Step(), "b-c": Step(), "2": Step()})
        self.body = nn.Sequential(
            collections.OrderedDict(first=Step()),
        )
        self.plain = nn.Sequential(Step())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            x = layer(x)
        for head in self.heads.values():
            x = head(x)
        return self.plain(self.body(x))


@pytest.mark.parametrize(
    ("find", "name"),
    [
        (lambda tree: tree.layers[1], "self.layers[1]"),
        (lambda tree: tree.heads["a"], "self.heads.a"),
        (lambda tree: tree.heads["b-c"], "self.heads['b-c']"),
        (lambda tree: tree.heads["2"], "self.heads['2']"),
        (lambda tree: tree.body.first, "self.body.first"),
        (lambda tree: tree.plain[0], "self.plain[0]"),
    ],
)
def test_what_a_module_in_a_module_holds(find: Callable[[Tree], Step], name: str) -> None:
    def run() -> None:
        tree = Tree()
        compiled = torch.compile(tree, backend="eager")
        compiled(X)
        find(tree).step = 5
        compiled(X)
        find(tree).weight = nn.Parameter(ones(1))
        compiled(X)
        find(tree).mean = ones(3).double()
        compiled(X)

    assert told(run) == [
        ("module", f"{name}.step", "0", "5"),
        ("module", f"{name}.weight.size(0)", "3", "1"),
        ("module", f"{name}.mean.dtype", "torch.float32", "torch.float64"),
    ]


def test_every_parameter_that_changed_is_named() -> None:
    def run() -> None:
        model = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 2))

        def runs(x: torch.Tensor) -> torch.Tensor:
            return model(x)

        compiled = torch.compile(runs, backend="eager")
        compiled(X)
        model.double()
        compiled(X.double())

    [changes] = all_changes(run)
    assert changes[0].source == "x.dtype"
    assert {(change.holder, change.source) for change in changes[1:]} == {
        ("module", f"model[{index}].{name}.dtype")
        for index in (0, 2)
        for name in ("weight", "bias")
    }


def test_containers_of_modules_have_lengths_and_keys() -> None:
    def run() -> None:
        tree = Tree()
        compiled = torch.compile(tree, backend="eager")
        compiled(X)
        tree.layers.append(Step())
        compiled(X)
        tree.heads["d"] = Step()
        compiled(X)

    assert told(run) == [
        ("module", "len(self.layers)", "2", "3"),
        ("module", "len(self.heads)", "3", "4"),
    ]


class Optional(nn.Module):
    mode = "fast"

    def __init__(self) -> None:
        super().__init__()
        self.inner: nn.Module | None = None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x if self.inner is None else self.inner(x)
        return x * 2 if self.mode == "fast" else x * 3


def test_a_child_that_comes_and_goes() -> None:
    def run() -> None:
        module = Optional()
        compiled = torch.compile(module, backend="eager")
        for module.inner in (None, nn.ReLU(), nn.GELU(), None):
            compiled(X)

    assert told(run) == [
        ("module", "self.inner", "None", "ReLU"),
        ("module", "self.inner", "ReLU", "GELU"),
        ("module", "self.inner", "GELU", "None"),  # kept elsewhere than the first None
    ]


def test_a_parameter_that_becomes_a_plain_attribute_or_is_deleted() -> None:
    class Scaled(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x * getattr(self, "weight", 2.0)

    def run() -> None:
        module = Scaled()
        module.weight = nn.Parameter(ones(3))
        compiled = torch.compile(module, backend="eager")
        compiled(X)
        del module.weight
        compiled(X)

    assert told(run) == [("module", "self.weight", "Parameter", "not set")]


def test_an_attribute_of_the_class_and_of_the_instance() -> None:
    def run() -> None:
        module = Optional()
        compiled = torch.compile(module, backend="eager")
        compiled(X)
        module.mode = "safe"
        compiled(X)

    assert told(run) == [("module", "self.mode", "'fast'", "'safe'")]


def test_an_attribute_of_the_class_that_changes_itself() -> None:
    class Local(Optional):
        mode = "fast"

    def run() -> None:
        compiled = torch.compile(Local(), backend="eager")
        compiled(X)
        Local.mode = "safe"
        compiled(X)

    # 2.8 reads it by the instance.
    name = "self.mode" if TORCH < (2, 9) else "type(self).mode"
    assert told(run) == [("module", name, "'fast'", "'safe'")]


# Functions.


def test_defaults_of_a_function() -> None:
    def run() -> None:
        def scale(x: torch.Tensor, k: float = 2.5, *, j: float = 3.5) -> torch.Tensor:
            return x * k + j

        def runs(x: torch.Tensor) -> torch.Tensor:
            return scale(x)

        compiled = torch.compile(runs, backend="eager")
        compiled(X)
        scale.__defaults__ = (4.5,)
        compiled(X)
        scale.__kwdefaults__ = {"j": 5.5}
        compiled(X)

    changes = [
        ("closure", "scale's default of k", "2.5", "4.5"),
        ("closure", "scale's default of j", "3.5", "5.5"),
    ]
    if (2, 9) <= TORCH < (2, 12):  # which go on with the old default: no guard fails
        del changes[0]
    assert told(run) == changes


def by(k: float) -> Callable[[torch.Tensor], torch.Tensor]:
    def inner(x: torch.Tensor) -> torch.Tensor:
        return x * k

    return inner


def twice(k: float) -> Callable[[torch.Tensor], torch.Tensor]:
    inner = by(k)
    return lambda x: inner(inner(x))


class Strategy:
    def __init__(self, k: float) -> None:
        self.k = k

    def apply(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.k

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.k


@dataclass
class Config:
    k: float


@dataclass(frozen=True)
class Frozen:
    k: float


class Pair(NamedTuple):
    m: float
    k: float


@pytest.mark.parametrize(
    ("function", "make", "holder", "name"),
    [
        (lambda x, v: v(x), by, "closure", "k"),
        (lambda x, v: v(x), twice, "closure", "k"),
        (lambda x, v: v(x), Strategy, "argument", "v.k"),
        (lambda x, v: v(x), lambda k: Strategy(k).apply, "argument", "v.__self__.k"),
        (
            lambda x, v: v(x),
            lambda k: functools.partial(torch.add, alpha=k, other=1),
            "argument",
            "v.keywords['alpha']",
        ),
        (lambda x, v: v(x), lambda k: functools.partial(torch.mul, k), "argument", "v.args[0]"),
        (lambda x, v: x * v.k, Config, "argument", "v.k"),
        (lambda x, v: x * v.k, Frozen, "argument", "v.k"),
        (lambda x, v: x * v.k, lambda k: Pair(1.5, k), "argument", "v.k"),
        (lambda x, v: x * v["it's"], lambda k: {"it's": k}, "argument", 'v["it\'s"]'),
        (lambda x, v: x * v[1, 2], lambda k: {(1, 2): k}, "argument", "v[(1, 2)]"),
        (lambda x, v: x * v[0], lambda k: collections.deque([k]), "argument", "v[0]"),
    ],
)
def test_what_a_value_is_made_of(function: Any, make: Any, holder: str, name: str) -> None:
    run = calls(function, (X, make(2.5)), (X, make(3.5)))
    assert told(run) == [(holder, name, "2.5", "3.5")]


def test_the_same_name_in_every_way_to_pass_an_argument() -> None:
    def run() -> None:
        def takes(x: torch.Tensor, n: float = 1.5, *rest: float, **named: float) -> torch.Tensor:
            return x * n * sum(rest) * named.get("k", 0.5)

        compiled = torch.compile(takes, backend="eager")
        compiled(X, 1.5, 2.5, k=3.5)
        compiled(X, 4.5, 2.5, k=3.5)
        compiled(X, 4.5, 5.5, k=3.5)
        compiled(X, 4.5, 5.5, k=6.5)
        compiled(X, 4.5, 5.5, 6.5, k=6.5)

    assert told(run) == [
        ("argument", "n", "1.5", "4.5"),
        ("argument", "rest[0]", "2.5", "5.5"),
        ("argument", "k", "3.5", "6.5"),
        ("argument", "len(rest)", "1", "2"),
    ]


def test_what_a_broken_line_left_is_named_by_the_line() -> None:
    def item(x: torch.Tensor) -> torch.Tensor:
        total = x.sum().item()
        return x * total

    line = item.__code__.co_firstlineno + 1
    name = f"<result of line {line}: total = x.sum().item()>"
    run = calls(item, (ones(4),), (ones(4) * 2,))
    assert told(run) == [("argument", name, "4.0", "8.0")]
