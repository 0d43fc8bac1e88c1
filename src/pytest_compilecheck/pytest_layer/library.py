"""Contracts on library code: functions and methods that carry the decorator, as test items."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_compilecheck.contract.faults import ContractError, Fault, Place
from pytest_compilecheck.contract.model import Contract
from pytest_compilecheck.contract.read import read_contract
from pytest_compilecheck.decorator import contracts_of
from pytest_compilecheck.observe.parameters import parameters_of
from pytest_compilecheck.pytest_layer import settings
from pytest_compilecheck.pytest_layer.collection import default_layer, hidden_fault
from pytest_compilecheck.pytest_layer.compiler_error import users_traceback
from pytest_compilecheck.pytest_layer.hidden import held_by, hidden_below
from pytest_compilecheck.pytest_layer.installed import compile_keywords, torch_version
from pytest_compilecheck.pytest_layer.made_item import MadeItem

if TYPE_CHECKING:
    from pytest_compilecheck.observe.target import Callee


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


_NONE = (
    "compilecheck_modules: no function that {0!r} defines has a contract: name the module that"
    " defines it, or write {0}.* for all modules of a package"
)


class LibraryModule(pytest.File):
    """A module that `compilecheck_modules` names."""

    def __init__(self, *, module: str, **of_pytest: Any) -> None:
        """Take the name by which it is imported."""
        super().__init__(**of_pytest)
        self._module = module

    def collect(self) -> list[pytest.Item]:
        """An item for each function and method with a contract, in order of their lines.

        Raises:
            CollectError: the module cannot be imported, contracts in it have faults, or the
                setting names the module itself and there are none.
        """
        name = self._module
        try:
            module = importlib.import_module(name)
        except Exception as error:  # noqa: BLE001 - whatever the code of a user raises
            lines = [f"{name} cannot be imported", *users_traceback(error)]
            raise self.CollectError("\n".join(lines)) from None
        hidden: list[object] = []
        items: list[pytest.Item] = []
        found = sorted(_marked(module, vars(module), name, hidden), key=lambda m: m.line)
        known = {id(marked.function) for marked in found}
        faults = [hidden_fault(each) for each in hidden if id(each) not in known]
        for marked in found:
            try:
                contract = _contract(marked, self.config)
                items.append(
                    LibraryItem.from_parent(
                        self, name=marked.name, marked=marked, contract=contract
                    )
                )
            except ContractError as error:
                faults += error.faults
        if faults:
            raise self.CollectError(str(ContractError(faults, self.nodeid)))
        if not items and name in self.config.stash[settings.KEY].modules:
            raise self.CollectError(_NONE.format(name))
        return items


class LibraryItem(MadeItem):
    """A contract on a function or method of library code."""

    def __init__(self, *, marked: Marked, contract: Contract, **of_pytest: Any) -> None:
        """Take what is marked, and its contract."""
        super().__init__(contract=contract, **of_pytest)
        self._marked = marked

    def reportinfo(self) -> tuple[Path, int, str]:
        """The line of the function."""
        return self.path, self._marked.line - 1, self.name

    def make(self) -> tuple[Callee, Contract]:
        """The function, or the method of an instance that the factory makes."""
        from pytest_compilecheck.observe.target import Callee, method_callee

        marked = self._marked
        if marked.owner is None:
            return Callee(marked.called, marked.called), self.contract
        factory = self.contract.factory or marked.owner
        callee = method_callee(marked.owner, factory, marked.attribute, self.contract.seed)
        return callee, self.contract

    def place_of(self, part: str) -> Place:
        """The decorator that gives the field, or the nearest one."""
        return _place_of(self._marked, part)


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


def _contract(marked: Marked, config: pytest.Config) -> Contract:
    parameters = marked.parameters()
    contract = read_contract(
        [*default_layer(config), *contracts_of(marked.function)],
        subject=marked.name,
        arguments=None if parameters is None else list(parameters),
        fixtures=frozenset(),
        compile_keywords=compile_keywords(),
        torch_version=torch_version(),
        optional={n for n, p in (parameters or {}).items() if p.default is not p.empty},
        home="library",
    )
    fault = _fault_of_factory(marked, contract)
    if fault is not None:
        place = _place_of(marked, "factory")
        raise ContractError([Fault(f"factory: {fault}", place)], marked.name)
    return contract


def _fault_of_factory(marked: Marked, contract: Contract) -> str | None:
    if marked.owner is None:
        called = "needs no instance: leave it out"
        return None if contract.factory is None else f"{marked.name} {called}"
    kind = marked.owner.__name__
    if contract.factory is None and _needs_arguments(marked.owner):
        return f"{kind} needs arguments to be made: add factory=lambda: {kind}(...)"
    return None


def _needs_arguments(kind: type) -> bool:
    try:
        parameters = inspect.signature(kind).parameters.values()
    except (TypeError, ValueError):
        return False
    variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return any(each.default is each.empty and each.kind not in variable for each in parameters)


def _place_of(marked: Marked, field: str) -> Place:
    noted = contracts_of(marked.function)
    given = [place for fields, place in noted if field in fields]
    return given[-1] if given else noted[-1][1]
