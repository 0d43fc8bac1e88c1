"""Finds the functions and methods of a module that carry the decorator."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from pytest_compilecheck.contract.faults import Place
from pytest_compilecheck.decorator import contracts_of
from pytest_compilecheck.observe.running.parameters import parameters_of
from pytest_compilecheck.pytest_layer.hidden import held_by, hidden_below


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
    hidden: list[object] = []
    found = sorted(_marked(module, vars(module), module.__name__, hidden), key=lambda m: m.line)
    known = {id(marked.function) for marked in found}
    return found, [each for each in hidden if id(each) not in known]


def _marked(
    holder: Any, names: Mapping[str, Any], module: str, hidden: list[object], path: str = ""
) -> Iterator[Marked]:
    """What is defined in a module, or a class in it, and carries the decorator; each once.

    `hidden` takes the functions with a contract that something else holds.
    """
    seen: set[int] = set()
    for name, value in list(names.items()):
        function = value.__func__ if isinstance(value, (staticmethod, classmethod)) else value
        inner = hidden_below(function)
        if inner is None and not contracts_of(function):
            inner = held_by(function)
        # A decorator without functools.wraps gives a function of its own module.
        defined_in = getattr(inner or function, "__module__", None)
        if id(function) in seen or defined_in != module:
            continue
        seen.add(id(function))
        if inner is not None:
            hidden.append(inner)
        elif isinstance(function, type):
            yield from _marked(function, vars(function), module, hidden, f"{path}{name}.")
        elif contracts_of(function):
            is_method = isinstance(holder, type) and function is value
            yield Marked(
                name=f"{path}{name}",
                function=function,
                owner=holder if is_method else None,
                called=None if is_method else getattr(holder, name),
            )
