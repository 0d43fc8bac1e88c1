"""Replace an attribute for a while and put it back, whoever replaced it meanwhile."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

Patching = Callable[..., None]
"""Replaces an attribute for as long as a watch lasts; takes what `Patch` takes."""


def in_place(patch: Patch) -> bool:
    """Whether calls of the attribute still reach a patch, through those that came later."""
    current = getattr(patch.owner, patch.name)
    while (mark := getattr(current, "_compilecheck_patch", None)) is not None:
        if mark is patch:
            return True
        current = mark.original
    return False


class Patch:
    """Puts `make(original)` in place of `owner.name` until `undo`.

    If somebody else has wrapped our replacement by then, it stays in their chain and only passes
    calls on; the next undo on the same attribute takes it out. `shield`, a decorator, goes around
    the replacement.
    """

    def __init__(
        self,
        owner: Any,
        name: str,
        make: Callable[[Any], Any],
        shield: Callable[[Any], Any] | None = None,
    ) -> None:
        self.owner = owner
        self.name = name
        self.active = True
        self.original = getattr(owner, name)
        self._kept = inspect.getattr_static(owner, name)  # a staticmethod as such
        self._watched: Callable[..., Any] | None = make(self.original)

        @functools.wraps(self.original)
        def replacement(*args: Any, **kwargs: Any) -> Any:
            __tracebackhide__ = True  # in pytest: what a user raises in torch is no matter of ours
            return (self._watched or self.original)(*args, **kwargs)

        replacement._compilecheck_patch = self  # type: ignore[attr-defined]
        self._replacement = shield(replacement) if shield is not None else replacement
        setattr(owner, name, self._replacement)
        # By their ids, as a name may be taken anew.
        there = sys.modules.values() if isinstance(owner, ModuleType) else ()
        self._imported = set(map(id, list(there)))

    def undo(self) -> bool:
        """Take the replacement out; False where somebody else's is there that may not call it."""
        self.active = False
        self._watched = None
        current = getattr(self.owner, self.name)
        if current is not self._replacement:
            # functools.wraps hands our mark on: then somebody wrapped us and passed calls on.
            return hasattr(current, "_compilecheck_patch")
        lowest = self
        while (below := getattr(lowest.original, "_compilecheck_patch", None)) and not below.active:
            lowest = below
        setattr(self.owner, self.name, lowest._kept)
        if isinstance(self.owner, ModuleType):
            self._leave_importers(lowest.original)
        return True

    def _leave_importers(self, original: Any) -> None:
        """Take the replacement out of modules that were imported meanwhile and bound its name."""
        later = (each for each in list(sys.modules.values()) if id(each) not in self._imported)
        for module in later:
            names = getattr(module, "__dict__", {})
            if names.get(self.name) is self._replacement:
                names[self.name] = original
