"""Entries into regions inside a call: whether the stance of one left it to Python."""

from __future__ import annotations

from typing import Final

from pytest_compilecheck.observe.errors import error_in_flight
from pytest_compilecheck.observe.recording.thread_state import ThreadState

_UNTIL_A_MISS: Final = ("eager_on_recompile", "fail_on_recompile")
"""Stances that run the graphs which fit: without a miss a region without a launch has no work."""


class NestedEntry:
    """One entry inside a call, from its making to `leave`."""

    __slots__ = ("_error", "_inside", "_launched", "_stance", "_state", "_unanswered")

    def __init__(self, state: ThreadState, stance: str) -> None:
        self._state = state
        self._stance = stance
        self._launched = len(state.launched)
        self._inside = state.launched_inside
        self._unanswered = state.unanswered
        self._error = error_in_flight()

    def leave(self) -> None:
        """The region is left: note it if it ran eagerly, as its stance wants."""
        state = self._state
        state.depth -= 1
        if self._stance != "default":
            missed = state.unanswered - self._unanswered
            state.answered += missed  # by the stance
            own = own_launches(state, self._launched, self._inside)
            raised = error_in_flight() is not self._error
            if not raised and (missed or left_to_python(self._stance, own)):
                state.eager_stances[self._stance] = None
                state.eventful = True
        state.launched_inside = self._inside + len(state.launched) - self._launched


def own_launches(state: ThreadState, launched: int = 0, inside: int = 0) -> int:
    """How many graphs ran of an entry itself, and not of regions that were entered in it.

    At its beginning `launched` graphs had run in the call, `inside` of them of nested entries.
    """
    return len(state.launched) - launched - (state.launched_inside - inside)


def left_to_python(stance: str, own: int) -> bool:
    """Whether the stance is why none of an entry's own graphs ran."""
    return not own and stance != "default" and stance not in _UNTIL_A_MISS
