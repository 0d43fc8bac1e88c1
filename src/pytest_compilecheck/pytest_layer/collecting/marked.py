"""Finds the functions and methods of a module that carry the decorator."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from pytest_compilecheck.contract.faults import Place
from pytest_compilecheck.decorator import contracts_of
from pytest_compilecheck.observe.running.parameters import parameters_of
from pytest_compilecheck.pytest_layer.hidden import (
    function_of,
    hidden_below,
    is_class,
    is_noted,
)


@dataclass(frozen=True, slots=True)
class Marked:
    """A function with a contract, or a method of `owner`; `called` is what needs no instance."""

    name: str
    function: Any
    owner: type | None
    called: Any

    @property
    def line(self) -> int:
        """Where it begins, with its decorators."""
        line: int = inspect.unwrap(self.function).__code__.co_firstlineno
        return line

    @property
    def attribute(self) -> str:
        """The name by which its module or class has it; that of the function may be another."""
        return self.name.rpartition(".")[2]

    def parameters(self) -> dict[str, inspect.Parameter] | None:
        """What a call gives, without `self`; None where it takes any keyword."""
        return parameters_of(self.called or self.function, bound=self.called is not None)

    def place_of(self, field: str) -> Place:
        """The decorator that gives the field, or the nearest one."""
        noted = contracts_of(self.function)
        given = [place for fields, place in noted if field in fields]
        return given[-1] if given else noted[-1][1]


def marked_in(module: ModuleType) -> tuple[list[Marked], list[object]]:
    """What is defined in a module and carries the decorator, in order of lines.

    And the functions whose contract a decorator above it hides: they have no name in the module.
    """
    hidden: dict[int, object] = {}
    apart = {id(value) for value in vars(module).values() if is_class(value)}
    marked = _marked(module, module.__name__, hidden, apart)
    return sorted(marked, key=lambda each: each.line), list(hidden.values())


def _marked(
    holder: Any,
    module: str,
    hidden: dict[int, object],
    apart: set[int],
    path: str = "",
) -> Iterator[Marked]:
    """What is defined in a module, or a class in it, and carries the decorator; each once.

    `hidden` takes the functions with a contract that something else holds. `apart` are classes
    that are no part of another, though it may name them.
    """
    seen: set[int] = set()
    for name, value in list(vars(holder).items()):
        function = function_of(value)
        below = hidden_below(function, is_noted)
        hidden.update((id(each), each) for each in below if _is_of(module, each))
        if id(function) in seen or (path and id(function) in apart):
            continue
        seen.add(id(function))
        if is_class(function) and _is_of(module, function):
            apart.add(id(function))
            inner = f"{path}{name}."
            yield from _marked(function, module, hidden, apart, inner)
        elif is_noted(function) and _is_of(module, function):
            is_method = isinstance(holder, type) and function is value
            yield Marked(
                name=f"{path}{name}",
                function=function,
                owner=holder if is_method else None,
                called=None if is_method else getattr(holder, name),
            )


def _is_of(module: str, defined: object) -> bool:
    """Whether a module defines it; a decorator without functools.wraps says its own module."""
    return getattr(defined, "__module__", None) == module
