"""Names of what a wrapper takes as `*args` and `**kwargs`: those of the function that it wraps."""

from __future__ import annotations

import inspect
import re
from types import CodeType, FunctionType, MethodType
from typing import Any

from torch import nn

from pytest_compilecheck.observe.guards.scope import Missing, Scope


def variadic_named(source: str, code: CodeType, scope: Scope) -> str:
    """An expression of torch's, with the parameter's name in place of its part of *args, **kwargs.

    "L['kwargs']['mask'].size()[0]" is "L['mask'].size()[0]", and "L['args'][0]" is "L['self']"
    where the function that the wrapper closes over has that parameter first.
    """
    positional, keywords = _variadic_parameters(code)
    if keywords is not None:
        source = re.sub(rf"\bL\['{keywords}'\]\['([A-Za-z_]\w*)'\]", r"L['\1']", source)
    if positional is not None:
        names = _wrapped_parameters(code, scope)
        pattern = rf"\bL\['{positional}'\]\[(\d+)\]"
        source = re.sub(pattern, lambda match: _positional(match, names), source)
    return source


def _positional(match: re.Match[str], names: list[str]) -> str:
    index = int(match[1])
    return f"L['{names[index]}']" if index < len(names) else match[0]


def _variadic_parameters(code: CodeType) -> tuple[str | None, str | None]:
    """The names of a code's `*args` and `**kwargs`."""
    at = code.co_argcount + code.co_kwonlyargcount
    positional = keywords = None
    if code.co_flags & inspect.CO_VARARGS:
        positional = code.co_varnames[at]
        at += 1
    if code.co_flags & inspect.CO_VARKEYWORDS:
        keywords = code.co_varnames[at]
    return positional, keywords


def _wrapped_parameters(code: CodeType, scope: Scope) -> list[str]:
    """Positional parameters of the function that a wrapper closes over, [] where there is none."""
    for name in code.co_freevars:
        try:
            target = _function(scope.value(f"L['{name}']"))
            parameters = inspect.signature(target).parameters.values() if target else ()
        except (Missing, TypeError, ValueError):
            continue
        found = [each.name for each in parameters if each.kind == each.POSITIONAL_OR_KEYWORD]
        if found:
            return found
    return []


def _function(value: Any) -> Any | None:
    """A function of an author's; of the call of a module its `forward`."""
    owner = getattr(value, "__self__", None)
    if isinstance(value, MethodType) and isinstance(owner, nn.Module):
        called = value.__name__ in ("_call_impl", "_wrapped_call_impl")
        return owner.forward if called else value
    if isinstance(value, nn.Module):
        return value.forward
    return value if isinstance(value, (FunctionType, MethodType)) else None
