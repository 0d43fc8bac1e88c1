"""Contracts that another decorator hides; looks at every collected object, so it is light."""

from __future__ import annotations

import types
from collections.abc import Iterable

_EMPTY = types.CellType()


def is_noted(function: object) -> bool:
    """Whether the decorator has noted a contract on a function."""
    return hasattr(function, "__compile_contracts__")


def hidden_below(obj: object) -> object | None:
    """A function with a contract that a fixture, a property or another function holds.

    Another function does where a decorator without functools.wraps made it.
    """
    if isinstance(obj, types.FunctionType):
        if is_noted(obj):
            return None
        cells = obj.__closure__ or ()
        inner: list[object] = [cell.cell_contents for cell in cells if cell != _EMPTY]
    elif isinstance(obj, property):
        inner = [obj.fget, obj.fset, obj.fdel]
    elif type(obj).__module__ == "_pytest.fixtures":
        inner = [getattr(obj, "__wrapped__", None)]
    else:
        return None
    return _first_noted(inner)


def held_by(obj: object) -> object | None:
    """A function with a contract that an object of a decorator's class holds: a custom operator."""
    return None if isinstance(obj, type) else _first_noted(getattr(obj, "__dict__", {}).values())


def _first_noted(found: Iterable[object]) -> object | None:
    noted = (each for each in found if isinstance(each, types.FunctionType) and is_noted(each))
    return next(noted, None)
