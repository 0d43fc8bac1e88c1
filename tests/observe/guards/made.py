"""Guards, their trees, scopes and frames made by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

from pytest_compilecheck.observe.guards.changes import guard_changes
from pytest_compilecheck.observe.guards.frame import Frame, Remembered
from pytest_compilecheck.observe.guards.names import Names
from pytest_compilecheck.observe.guards.scope import Scope
from pytest_compilecheck.observe.guards.tree import Guard


def guard(
    kind: str, source: str, *texts: str, holds: Callable[[Any], bool] = lambda _: False
) -> Guard:
    """A check of a class of torch's name."""
    members = {
        "verbose_code_parts": lambda _: list(texts),
        "__call__": lambda _, value: holds(value),
    }
    return Guard(source, type(kind, (), members)())


def scope(**local: Any) -> Scope:
    """The names of a frame with these locals, in a module with the global GAIN."""
    return Scope({"L": local, "G": {"GAIN": 2.0, "__import_torch_dot_nn": None}})


def no_code() -> None:
    """The function of a frame without closure variables."""


def frame(
    before: Remembered | None = None, /, code: CodeType = no_code.__code__, **local: Any
) -> Frame:
    """What is at hand where a guard fails in a frame with these locals."""
    names = scope(**local)
    return Frame(scope=names, names=Names(code, names), before=before or Remembered())


Told = tuple[str, str, str, str]
"""Cause, source, before, after."""


def told(made: Guard, before: Remembered | None = None, /, **local: Any) -> list[Told]:
    """What a guard that does not hold shows, in a frame with these locals."""
    return [
        (change.cause, change.source, change.expected, change.actual)
        for change in guard_changes(made, frame(before, **local))
    ]


class Config:
    """An object of the author's: its class has a mode, its instances what they are given."""

    mode = "fast"

    def __init__(self, **attributes: Any) -> None:
        self.__dict__ |= attributes


@dataclass
class Accessor:
    """What leads to a node, with torch's text for it."""

    text: str

    def repr(self) -> str:
        return self.text


@dataclass
class Manager:
    """A node of torch's tree, with what leads to its children."""

    source: str
    leaves: tuple[Guard, ...] = ()
    children: dict[str, Manager] = field(default_factory=dict)
    relations: tuple[Guard, ...] = ()

    def get_source(self) -> str:
        return self.source

    def get_leaf_guards(self) -> list[Any]:
        return [leaf.node for leaf in self.leaves]

    def get_child_managers(self) -> list[Manager]:
        return list(self.children.values())

    def get_accessors(self) -> list[Accessor]:
        return list(map(Accessor, self.children))

    def get_epilogue_lambda_guards(self) -> list[Any]:
        return [relation.node for relation in self.relations]


@dataclass
class DictManager(Manager):
    """One of a dict whose items are guarded in their order."""

    pairs: dict[int, tuple[Manager | None, Manager | None]] = field(default_factory=dict)

    def get_key_value_managers(self) -> dict[int, tuple[Manager | None, Manager | None]]:
        return self.pairs
