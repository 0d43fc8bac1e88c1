"""The decorator `compile_contract`: notes a contract on a function, and nothing else.

Model code may carry it in production: importing this module costs next to nothing, and the
function comes back as it was.
"""

from __future__ import annotations

import sys
import types

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeVar

    from pytest_compilecheck.contract.faults import Place

    F = TypeVar("F", bound=Callable[..., Any])

# Holds a list of (fields, (file, line)), innermost decorator first.
_ATTRIBUTE = "__compile_contracts__"

_LABEL = "@compile_contract"


def compile_contract(*positional: object, **fields: object) -> Callable[[F], F]:
    """Promise how a function compiles; `pytest --compilecheck` holds it to that.

    Fields are checked when pytest collects the test, not here. Several decorators merge field by
    field: the topmost wins.

    Raises:
        TypeError: used without parentheses or with positional arguments; put on a class or on
            something that is no function.
    """
    if positional:
        __tracebackhide__ = True
        raise TypeError(
            "compile_contract takes keyword arguments only: "
            "write @compile_contract(max_graph_breaks=0), or @compile_contract() for the defaults"
        )
    caller = sys._getframe(1)
    place = (caller.f_code.co_filename, caller.f_lineno)

    def note(function: F) -> F:
        __tracebackhide__ = True
        target = _function_of(function)
        # A new list: functools.wraps hands the old one on to wrappers of the function.
        setattr(target, _ATTRIBUTE, [*noted_on(target), (fields, place)])
        return function

    return note


def contracts_of(function: object) -> tuple[tuple[dict[str, object], Place], ...]:
    """The contracts noted on a function or bound method: fields and place, the nearest last."""
    from pytest_compilecheck.contract.faults import Place

    noted = noted_on(function)
    return tuple((fields, Place(file, line, _LABEL)) for fields, (file, line) in noted)


def noted_on(function: object) -> list[Any]:
    """What the decorator has noted on a function or bound method; nothing on any other object."""
    noted = attributes_of(function).get(_ATTRIBUTE)
    return noted if type(noted) is list else []


def attributes_of(obj: object) -> Mapping[str, Any]:
    """What is set on an object itself, or on the function of a bound method.

    Asks no `__getattr__`: that of a lazy module or a mock may answer or raise anything.
    """
    while type(obj) is types.MethodType:
        obj = obj.__func__
    if type(obj) is types.FunctionType:
        return obj.__dict__
    try:
        found = object.__getattribute__(obj, "__dict__")
    except Exception:  # noqa: BLE001 - a class may make a property of it
        return {}
    return found if type(found) in (dict, types.MappingProxyType) else {}


def _function_of(target: object) -> types.FunctionType:
    __tracebackhide__ = True
    if isinstance(target, (staticmethod, classmethod)):
        target = target.__func__
    if isinstance(target, types.FunctionType):
        return target
    if isinstance(target, type):
        raise TypeError(
            f"compile_contract marks functions, and {target.__name__} is a class: mark the test"
            " that runs it, or for a test class use pytest.mark.compile_contract"
        )
    raise TypeError(
        f"compile_contract marks functions, not a {type(target).__name__}: put it directly above"
        " the def, below what makes another object of it"
    )
