"""Places where something that changes may live, and what is seen of the change in each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch._dynamo.guards
from observe.facts import watched
from torch import nn

from pytest_compilecheck.observe.values.recompile import Change, RecompileEvent

X = torch.ones(4, 3)

Use = Callable[[torch.Tensor, Any], torch.Tensor]
Get = Callable[[Any], Any]
Call = Callable[[Any], object]


class Box:
    """A plain object of the author's."""

    def __init__(self, held: Any) -> None:
        self.held = held


@dataclass(frozen=True, slots=True)
class Nesting:
    """A container: what puts a value into it, what gets it out again, and its name in there.

    `word` is the last word of the name.
    """

    name: str
    wrap: Get
    get: Get
    path: str
    word: str = "held"


PLAIN = Nesting("plain", lambda value: value, lambda held: held, "")
CONTAINERS = (
    Nesting("list", lambda value: [value], lambda held: held[0], "[0]"),
    Nesting("tuple", lambda value: (X, value), lambda held: held[1], "[1]"),
    Nesting("dict", lambda value: {"k": value}, lambda held: held["k"], "['k']", "k"),
    Nesting("object", Box, lambda held: held.held, ".held"),
)
IN_CONTAINERS = (
    Nesting("dict in list", lambda v: [{"k": v}], lambda held: held[0]["k"], "[0]['k']", "k"),
    Nesting("tuple in dict", lambda v: {"k": (v,)}, lambda held: held["k"][0], "['k'][0]", "k"),
    Nesting("list in object", lambda v: Box([v]), lambda held: held.held[0], ".held[0]"),
    Nesting("object in dict", lambda v: {2: Box(v)}, lambda held: held[2].held, "[2].held"),
)


# Places: each makes a program, and gives what calls it with another value there.


def in_argument(use: Use, get: Get) -> Call:
    def run(x: torch.Tensor, v: Any) -> torch.Tensor:
        return use(x, get(v))

    compiled = torch.compile(run, backend="eager")
    return lambda value: compiled(X, value)


class Holds(nn.Module):
    """A module with an attribute; a Parameter there is registered, all else is not."""

    def __init__(self, use: Use, get: Get) -> None:
        super().__init__()
        self.use = use
        self.get = get

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.use(x, self.get(self.held))


def in_module(use: Use, get: Get) -> Call:
    module = Holds(use, get)
    compiled = torch.compile(module, backend="eager")

    def call(value: Any) -> object:
        if hasattr(module, "held"):
            del module.held
        module.held = value
        return compiled(X)

    return call


HELD: Any = None


def in_global(use: Use, get: Get) -> Call:
    def run(x: torch.Tensor) -> torch.Tensor:
        return use(x, get(HELD))

    compiled = torch.compile(run, backend="eager")

    def call(value: Any) -> object:
        globals()["HELD"] = value
        return compiled(X)

    return call


def in_closure(use: Use, get: Get) -> Call:
    held: Any = None

    def run(x: torch.Tensor) -> torch.Tensor:
        return use(x, get(held))

    compiled = torch.compile(run, backend="eager")

    def call(value: Any) -> object:
        nonlocal held
        held = value
        return compiled(X)

    return call


PLACES: dict[str, tuple[Callable[[Use, Get], Call], str]] = {
    "argument": (in_argument, "v"),
    "module": (in_module, "self.held"),
    "global": (in_global, "HELD"),
    "closure": (in_closure, "held"),
}


def last_rebuilds(
    use: Use, values: Sequence[Callable[[], Any]], nestings: Sequence[Nesting]
) -> dict[tuple[str, Nesting], RecompileEvent | None]:
    """For each place and nesting the recompile in the last of as many calls as there are values."""
    scenes = [(place, nesting) for place in PLACES for nesting in nestings]

    def run() -> None:
        for place, nesting in scenes:
            torch._dynamo.reset()
            call = PLACES[place][0](use, nesting.get)
            for value in values:
                call(nesting.wrap(value()))

    by_call = {event.call: event for event in watched(run).recompile_events}
    last = range(len(values) - 1, len(scenes) * len(values), len(values))
    return {scene: by_call.get(call) for scene, call in zip(scenes, last, strict=True)}


def all_changes(run: Callable[[], object]) -> list[tuple[Change, ...]]:
    """What each recompile of some calls shows to have changed."""
    return [event.changes for event in watched(run).recompile_events]


def only_change(run: Callable[[], object]) -> Change:
    """The one change of the one recompile."""
    [[change]] = all_changes(run)
    return change


def facts(change: Change) -> tuple[str, str, str, str, str]:
    """Cause, holder, source, before, after."""
    return (change.cause, change.holder, change.source, change.expected, change.actual)
