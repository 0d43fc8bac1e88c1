"""Any Python object as JSON-able data, and as a short text for a message."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

_ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]+")
_SHOWN_WIDTH = 60
_KEPT_WIDTH = 200


def plain(value: object) -> Any:
    """JSON-able data for any object, the same in every run.

    Numbers, strings, None, lists, tuples and mappings are kept as data. Functions and classes give
    their qualified name, other objects their repr without its address, cut at 200 characters.
    """
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    name = getattr(value, "__qualname__", None)
    if isinstance(name, str):
        return f"{getattr(value, '__module__', None) or 'builtins'}.{name}"
    return _cut(_ADDRESS.sub("", repr(value)), _KEPT_WIDTH)


def shown(value: object) -> str:
    """The repr of a value for a message: one line, without addresses, at most 60 characters."""
    return _cut(" ".join(_ADDRESS.sub("", repr(value)).split()), _SHOWN_WIDTH)


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 3] + "..."
