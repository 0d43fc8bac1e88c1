"""Values in words, as a report names them."""

from __future__ import annotations

import enum
import inspect
from types import FunctionType, MethodType, ModuleType

import torch

_LONGEST = 80  # characters of a value in words
_CONSTANTS = (bool, int, float, complex, str, bytes, range, torch.dtype, torch.device, type(None))


def in_words(value: object) -> str:
    """A value as a report names it."""
    if isinstance(value, torch.Tensor):
        return f"{type(value).__name__} of size {tuple(value.shape)}"
    if isinstance(value, type):
        return f"class {value.__name__}"
    if isinstance(value, (FunctionType, MethodType)) or inspect.isbuiltin(value):
        return f"function {value.__name__}"
    if inspect.iscode(value):
        return f"function {value.co_name}"
    if isinstance(value, ModuleType):
        return f"module {value.__name__}"
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name}"
    if _is_constant(value):
        return short(_constant(value))
    name = inspect.getattr_static(value, "__name__", None)  # runs no code of the object's class
    return f"{type(value).__name__} {name if isinstance(name, str) else 'object'}"


def type_name(value: object) -> str:
    """The name of a value's type, "None" for None."""
    return "None" if value is None else type(value).__name__


def short(text: str) -> str:
    """A text that fits in a line of a report."""
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def _constant(value: object) -> str:
    if isinstance(value, (set, frozenset)) and value:  # in the same order in each process
        items = f"{{{', '.join(sorted(map(_constant, value)))}}}"
        return items if isinstance(value, set) else f"frozenset({items})"
    return repr(value)


def _is_constant(value: object) -> bool:
    """Whether a value shows all that it is in its repr."""
    if isinstance(value, (tuple, list, set, frozenset)):
        return len(value) <= _LONGEST and all(map(_is_constant, value))
    if isinstance(value, dict):
        return len(value) <= _LONGEST and all(map(_is_constant, [*value, *value.values()]))
    return isinstance(value, _CONSTANTS)
