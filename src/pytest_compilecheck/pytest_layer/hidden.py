"""Contracts that nobody would hold; looks at every collected object, so it is light.

None of an object's own code runs: modules hold mocks, lazy modules and worse.
"""

from __future__ import annotations

import functools
import sys
import types
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, TypeGuard

import pytest

from pytest_compilecheck.decorator import attributes_of, noted_on

_EMPTY = types.CellType()
_DATA = (list, tuple, set, frozenset, dict)
# Objects that are looked at below one, of which functions come first.
_MOST = 100


def is_noted(function: object) -> bool:
    """Whether the decorator has noted a contract on a function."""
    return _may_be_called(function) and bool(noted_on(function))


def is_marked(function: object) -> bool:
    """Whether a function itself has a contract: by the decorator, or by a mark."""
    return _may_be_called(function) and bool(noted_on(function) or marks_on(function))


def marks_on(function: object) -> list[pytest.Mark]:
    """The contracts that stand on a function itself as marks."""
    found = attributes_of(function).get("pytestmark", ())
    marks = found if type(found) in (list, tuple) else [found]
    plain = [each.mark if type(each) is pytest.MarkDecorator else each for each in marks]
    return [mark for mark in plain if type(mark) is pytest.Mark and mark.name == "compile_contract"]


def is_class(obj: object) -> TypeGuard[type]:
    """Whether an object is a class; `isinstance` would ask it for its `__class__`."""
    return issubclass(type(obj), type)


def function_of(value: Any) -> Any:
    """The function of a static or class method as a class holds it; anything else as it is."""
    return value.__func__ if issubclass(type(value), (staticmethod, classmethod)) else value


def hidden_from_test(obj: object, name: str | None) -> object | None:
    """A function with a contract that hides below what a module or class of tests holds.

    `name` is that of a test: there what the test has instead of its own function hides too.
    """
    if type(obj) in _DATA or _is_plain(obj):
        return None
    return next(hidden_below(obj, is_marked, name), None)


def hidden_below(
    obj: object, has_contract: Callable[[object], bool], name: str | None = None
) -> Iterator[Any]:
    """Functions with a contract that a fixture, a property or another object holds.

    Another function does where a decorator without functools.wraps made it. What the module or
    class of a function has under a name is only used here, unless it goes by the same `name`.
    """
    obj = function_of(obj)
    if _has_names(obj) or (has_contract(obj) and not _is_fixture(obj)):
        return
    for each in _first_below(obj, has_contract):
        if getattr(each, "__name__", "") == name or not _is_named(each):
            yield each


def without_test(name: str, obj: object, module: str) -> Iterator[tuple[str, Any]]:
    """The function, or the methods of a class, of a module that have a contract; with their names.

    For what pytest has made no test of.
    """
    function = function_of(obj)
    if is_class(obj):
        attributes = attributes_of(obj)
        if attributes.get("__module__") == module:
            for inner, value in attributes.items():
                if not is_class(value) or value.__qualname__.startswith(f"{obj.__qualname__}."):
                    yield from without_test(f"{name}.{inner}", value, module)
    elif is_marked(function) and getattr(function, "__module__", None) == module:
        yield name, function


def _first_below(obj: object, has_contract: Callable[[object], bool]) -> Iterator[Any]:
    seen = {id(obj)}
    waiting = deque(islice(_held(obj), _MOST))
    while waiting and len(seen) < _MOST:
        each = waiting.popleft()
        if id(each) in seen or _has_names(each):
            continue
        seen.add(id(each))
        if has_contract(each):
            yield each
            continue
        for inner in islice(_held(each), _MOST):
            is_function = type(inner) is types.FunctionType
            (waiting.appendleft if is_function else waiting.append)(inner)


def _has_names(obj: object) -> bool:
    """Whether it is a module or a class: what these define is found there, if anywhere."""
    return issubclass(type(obj), (type, types.ModuleType))


def _is_plain(obj: object) -> bool:
    """Whether it is a function that holds nothing, as most are: no time is spent on them."""
    return type(obj) is types.FunctionType and not (
        obj.__closure__
        or obj.__defaults__
        or obj.__kwdefaults__
        or obj.__dict__.keys() - {"pytestmark"}
    )


def _may_be_called(obj: object) -> bool:
    return type(obj) is types.FunctionType or (callable(obj) and not is_class(obj))


def _held(obj: Any) -> Iterable[Any]:
    kind = type(obj)
    if kind is types.FunctionType:
        cells = (cell.cell_contents for cell in obj.__closure__ or () if cell != _EMPTY)
        attributes = (each for name, each in obj.__dict__.items() if name != "pytestmark")
        defaults = *(obj.__defaults__ or ()), *(obj.__kwdefaults__ or {}).values()
        return [*cells, *defaults, *attributes]
    if kind is types.MethodType:
        return [obj.__func__, obj.__self__]
    if issubclass(kind, (staticmethod, classmethod)):
        return [obj.__func__]
    if issubclass(kind, property):
        return [obj.fget, obj.fset, obj.fdel]
    if issubclass(kind, functools.partial):
        return [obj.func, *obj.args, *obj.keywords.values()]
    if _is_fixture(obj):
        return [attributes_of(obj).get("__wrapped__")]
    if kind in _DATA:
        data: Iterable[Any] = obj.values() if kind is dict else obj
        return data
    return attributes_of(obj).values()


def _is_fixture(obj: object) -> bool:
    return type(obj).__module__ == "_pytest.fixtures"


def _is_named(marked: Any) -> bool:
    """Whether the module or class that defines a function has it under some name."""
    function = marked.__func__ if type(marked) is types.MethodType else marked
    holder: object = sys.modules.get(getattr(function, "__module__", None) or "")
    for part in getattr(function, "__qualname__", "").split(".")[:-1]:
        holder = attributes_of(holder).get(part)
    return any(function_of(each) is function for each in attributes_of(holder).values())
