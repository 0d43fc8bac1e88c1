"""Finalizers that do nothing any more, and keep what they would have been about."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable


def detach_finalizers(is_done: Callable[[object], bool]) -> None:
    """Let go of `weakref.finalize(...)` with a method of an object that is done.

    Each lives as long as what it waits for, and holds the object of its method. What finalizers
    there are only `weakref.finalize` itself knows (`_registry`, CPython 3.4 and newer).
    """
    for each in list(getattr(weakref.finalize, "_registry", ())):
        found = each.peek()
        if found is not None and is_done(_owner(found[1])):
            each.detach()


def _owner(function: object) -> object:
    """The object of a method, also of one that is given arguments by `functools.partial`."""
    method = function.func if isinstance(function, functools.partial) else function
    return getattr(method, "__self__", None)
