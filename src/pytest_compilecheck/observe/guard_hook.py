"""Hears of cache misses, through torch's one slot for a hook on guard evaluation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pytest_compilecheck.observe.events import Listener

Hook = Callable[[bool], bool]


class GuardHook:
    """Sits in the slot from its making to `remove`.

    torch calls the hook with True (a cache entry's guards held) or False inside its frame
    evaluation, takes the answer as the verdict, and aborts the process on an exception. So ours is
    a bound method of a C type: in a hit no Python code runs in which Ctrl-C could strike.
    """

    def __init__(self, set_hook: Callable[[Any], Any], listener: Listener) -> None:
        class Verdicts(dict[bool, bool]):
            def __missing__(self, hit: bool) -> bool:
                listener.guards_missed()
                return hit

        self._set_hook = set_hook
        self._listener = listener
        answer: Hook = Verdicts({True: True}).__getitem__
        self._hook = answer
        self._previous: Hook | None = set_hook(answer)
        if self._previous is not None:  # e.g. torch.compiler.set_enable_guard_collectives
            previous = self._previous
            self._hook = lambda hit: answer(previous(hit))
            set_hook(self._hook)

    def remove(self) -> None:
        """Leave the slot to whoever had it before."""
        current = self._set_hook(self._previous)
        if current is not self._hook:
            self._set_hook(current)
            self._listener.trouble("another guard hook replaced ours: cache misses went unseen")
