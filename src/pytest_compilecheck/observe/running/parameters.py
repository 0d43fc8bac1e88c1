"""The parameters that a call by keywords may fill."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from inspect import Parameter
from types import SimpleNamespace
from typing import Any, get_type_hints


def optional_names(parameters: Iterable[Parameter]) -> set[str]:
    """Those that have a default value."""
    return {each.name for each in parameters if each.default is not each.empty}


def parameters_of(call: Callable[..., Any], *, bound: bool = True) -> dict[str, Parameter] | None:
    """Parameters of a call by name, but for `*args`; None where it takes any keyword.

    Also None where it does not tell. Of a method that is not `bound` the first is left out.
    """
    try:
        found = list(inspect.signature(call).parameters.values())[0 if bound else 1 :]
    except (TypeError, ValueError):
        return None
    if any(each.kind is Parameter.VAR_KEYWORD for each in found):
        return None
    return {each.name: each for each in found if each.kind is not Parameter.VAR_POSITIONAL}


def annotations_of(call: Callable[..., Any]) -> dict[str, Any]:
    """Annotations of the parameters by name; one that cannot be evaluated is given as it is."""
    try:
        parameters = inspect.signature(call).parameters.values()
    except (TypeError, ValueError):
        return {}
    function = inspect.unwrap(call)
    if not hasattr(function, "__globals__"):
        function = type(function).__call__
    names = getattr(function, "__globals__", {})
    return {
        each.name: _evaluated(each.annotation, names)
        for each in parameters
        if each.annotation is not each.empty
    }


def _evaluated(annotation: Any, names: dict[str, Any]) -> Any:
    alone = SimpleNamespace(__annotations__={"it": annotation})
    try:
        return get_type_hints(alone, names, include_extras=True)["it"]
    except Exception:  # noqa: BLE001 - what an annotation names may be anything, or missing
        return annotation
