"""The parameters that a call by keywords may fill."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from inspect import Parameter
from typing import Any


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
