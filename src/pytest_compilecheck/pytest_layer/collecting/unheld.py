"""Refuses contracts that nobody would hold: below a decorator that hides them, or on no test."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import pytest

from pytest_compilecheck.contract.faults import ContractError, Fault, Place
from pytest_compilecheck.decorator import contracts_of
from pytest_compilecheck.pytest_layer.collecting.file_patterns import is_test_file
from pytest_compilecheck.pytest_layer.hidden import function_of, is_class, without_test

MARK = "pytest.mark.compile_contract"
"""How a contract that is a mark is called beside its place."""

_HIDDEN = (
    "the decorator above compile_contract makes another object of the function, and hides the "
    "contract: put compile_contract on top of it, or where that takes none, as a fixture, a "
    "property and a custom operator do, on a function that uses it"
)
_NO_TEST = (
    "nobody holds the contract of {0}, which is no test: make a test of it, by a name such as "
    "test_{1}, or move it to a module that compilecheck_modules names"
)


def refuse(subject: str, faults: list[Fault]) -> None:
    """Fail the collection of a test, or a test, with what is wrong with its contract."""
    pytest.fail(str(ContractError(faults, subject)), pytrace=False)


def refuse_hidden(subject: str, function: object) -> None:
    """Refuse a contract that the decorator above it hides: nobody would read it."""
    refuse(subject, [hidden_fault(function)])


def hidden_fault(function: object) -> Fault:
    """What is wrong with a contract that a decorator above it hides."""
    return Fault(_HIDDEN, _place_on(function))


def refuse_without_test(collector: pytest.Module | pytest.Class, name: str, obj: object) -> None:
    """Refuse contracts on what pytest has made no test of, in a file of tests.

    Unless a class of the module has them under the name of a test, for itself or to be inherited.
    """
    module = collector.module
    found = list(without_test(name, obj, getattr(module, "__name__", "")))
    if not found or not is_test_file(collector.config, collector.path):
        return
    tests = {
        id(function_of(value))
        for names in _namespaces(vars(module))
        for key, value in names.items()
        if is_name_of_test(key) or collector.funcnamefilter(key)
    }
    faults = [
        Fault(_NO_TEST.format(path, path.rpartition(".")[2]), _place_on(function))
        for path, function in found
        if id(function) not in tests
    ]
    if faults:
        refuse(name, faults)


def is_name_of_test(name: str) -> bool:
    """Whether unittest takes a method of this name for a test."""
    return name.startswith("test") or name == "runTest"


def place_of_mark(function: Any) -> Place | None:
    """Where a function with a mark is defined; None where it does not tell."""
    code = getattr(inspect.unwrap(function), "__code__", None) if callable(function) else None
    return Place(code.co_filename, code.co_firstlineno, MARK) if code else None


def _place_on(function: object) -> Place | None:
    noted = contracts_of(function)
    return noted[-1][1] if noted else place_of_mark(function)


def _namespaces(names: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The names of a module, and of the classes that it has."""
    return [names, *(vars(each) for each in names.values() if is_class(each))]
