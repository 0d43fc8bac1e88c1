"""Contracts on library code: functions and methods that carry the decorator, as test items."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from pytest_compilecheck.contract.faults import ContractError, Place
from pytest_compilecheck.contract.model import Contract
from pytest_compilecheck.contract.read import read_contract
from pytest_compilecheck.decorator import contracts_of
from pytest_compilecheck.observe.running.parameters import optional_names
from pytest_compilecheck.pytest_layer import settings
from pytest_compilecheck.pytest_layer.collecting.collection import default_layer
from pytest_compilecheck.pytest_layer.collecting.imported import imported
from pytest_compilecheck.pytest_layer.collecting.made_item import MadeItem
from pytest_compilecheck.pytest_layer.collecting.marked import Marked, marked_in
from pytest_compilecheck.pytest_layer.collecting.unheld import hidden_fault
from pytest_compilecheck.pytest_layer.extra_bounds import names_for
from pytest_compilecheck.pytest_layer.installed import compile_keywords, torch_version

if TYPE_CHECKING:
    from pytest_compilecheck.observe.running.target import Callee

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

    def collect(self) -> Iterable[pytest.Item]:
        """An item for each function and method with a contract, in order of their lines.

        Raises:
            CollectError: the module cannot be imported, contracts in it have faults, or the
                setting names the module itself and there are none.
            Skipped: a module that only `package.*` names needs a package that is not there.
        """
        name = self._module
        module = imported(name, self)
        try:
            items = list(self._items(module))
        except ContractError as error:
            raise self.CollectError(str(error)) from None
        if not items and name in self.config.stash[settings.KEY].modules:
            raise self.CollectError(_NONE.format(name))
        return items

    def _items(self, module: ModuleType) -> Iterator[pytest.Item]:
        found, hidden = marked_in(module)
        faults = [hidden_fault(each) for each in hidden]
        for marked in found:
            try:
                contract = _contract(marked, self)
            except ContractError as error:
                faults += error.faults
                continue
            yield LibraryItem.from_parent(self, name=marked.name, marked=marked, contract=contract)
        if faults:
            raise ContractError(faults, self.nodeid)


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
        from pytest_compilecheck.observe.running.target import Callee, method_callee

        marked = self._marked
        if marked.owner is None:
            return Callee(marked.called, marked.called), self.contract
        factory = self.contract.factory or marked.owner
        callee = method_callee(marked.owner, factory, marked.attribute, self.contract.seed)
        return callee, self.contract

    def place_of(self, part: str) -> Place:
        """The decorator that gives the field, or the nearest one."""
        return self._marked.place_of(part)


def _contract(marked: Marked, collector: pytest.Collector) -> Contract:
    parameters = marked.parameters()
    layers = [*default_layer(collector.config), *contracts_of(marked.function)]
    contract = read_contract(
        layers,
        subject=marked.name,
        arguments=None if parameters is None else list(parameters),
        fixtures=frozenset(),
        compile_keywords=compile_keywords(),
        torch_version=torch_version(),
        optional=optional_names((parameters or {}).values()),
        home="library",
        extra_bounds=names_for(layers, collector, marked.name),
    )
    fault = _fault_of_factory(marked, contract)
    if fault is not None:
        raise ContractError([marked.place_of("factory").fault("factory", fault)], marked.name)
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
