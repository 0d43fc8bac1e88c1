"""Every compiled region of the process, known to the watches of a session."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any
from weakref import WeakSet

from pytest_compilecheck.observe import torch_adapter as adapter
from pytest_compilecheck.observe.hooks.patch import Patch, in_place


class KnownRegions:
    """Regions that exist.

    Only the garbage collector knows those that were made before anybody asked, and it looks through
    all objects of the process: 50 ms in a small one. It is asked once; then torch tells of each.
    """

    def __init__(self) -> None:
        self._patch: Patch | None = None
        self._regions: WeakSet[Any] = WeakSet()
        self._lock = threading.Lock()

    def live(self) -> list[Any]:
        """The contexts of all regions that are compiled already."""
        if self._patch is None or not in_place(self._patch):
            self.close()
            self._patch = Patch(adapter.REGION, "__init__", self._created)
            for context in adapter.live_regions():
                self._note(context)
        with self._lock:
            return [context for context in self._regions if adapter.is_region(context)]

    def close(self) -> None:
        """Leave torch as it was."""
        if self._patch is not None:
            self._patch.undo()
            self._patch = None

    def _created(self, original: Callable[..., None]) -> Callable[..., None]:
        def created(context: Any, *args: Any, **kwargs: Any) -> None:
            original(context, *args, **kwargs)
            self._note(context)

        return created

    def _note(self, context: Any) -> None:
        with self._lock:
            self._regions.add(context)
