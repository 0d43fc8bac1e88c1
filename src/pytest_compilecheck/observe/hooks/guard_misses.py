"""Hears of cache misses, through torch's one slot for a hook on guard evaluation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pytest_compilecheck.observe.events import Listener

Hook = Callable[[bool], bool]


class _Verdicts(dict[bool, bool]):
    """Maps a verdict to itself, and tells its owner of each miss."""

    def __init__(self, owner: GuardHook) -> None:
        super().__init__({True: True})
        self.owner = owner

    def __missing__(self, hit: bool) -> bool:
        self.owner.missed()
        return hit


class GuardHook:
    """Sits in the slot from its making to `remove`.

    torch calls the hook with True (a cache entry's guards held) or False inside its frame
    evaluation, takes the answer as the verdict, and aborts the process on an exception. So ours is
    a bound method of a C type: in a hit no Python code runs in which Ctrl-C could strike.
    """

    def __init__(self, set_hook: Callable[[Any], Any], listener: Listener) -> None:
        self._set_hook = set_hook
        self._listener = listener
        self._active = True
        answer: Hook = _Verdicts(self).__getitem__
        self._hook = answer
        self._previous: Hook | None = set_hook(answer)
        if self._previous is not None:  # another watch, or set_enable_guard_collectives
            self._hook = self._chained(answer, self._previous)
            set_hook(self._hook)

    def _chained(self, answer: Hook, previous: Hook) -> Hook:
        def chained(hit: bool) -> bool:
            return answer(previous(hit))

        chained.owner = self  # type: ignore[attr-defined]
        return chained

    def missed(self) -> None:
        """No cache entry of an entered frame held."""
        if self._active:
            self._listener.guards_missed()

    def remove(self) -> None:
        """Leave the slot to whoever had it before; of watches that overlap the last one clears."""
        self._active = False
        below = self._previous
        while (owner := _owner(below)) is not None and not owner._active:
            below = owner._previous
        current = self._set_hook(below)
        if current is not self._hook:
            self._set_hook(current)
            if _owner(current) is None:
                self._listener.trouble(
                    "another guard hook replaced ours, so misses went unseen: set it earlier"
                )


def _owner(hook: Any) -> GuardHook | None:
    """The watch's hook that a function in the slot belongs to, or None."""
    owner = getattr(hook, "owner", getattr(getattr(hook, "__self__", None), "owner", None))
    return owner if isinstance(owner, GuardHook) else None
