"""Finds every guard of a cached graph that does not hold, where torch names only the first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

import torch

from pytest_compilecheck.observe.guards.changes import (
    dict_length_change,
    guard_changes,
    missing_change,
)
from pytest_compilecheck.observe.guards.frame import Frame
from pytest_compilecheck.observe.guards.process import ProcessState, mode_changes, process_state
from pytest_compilecheck.observe.guards.relations import relation_changes
from pytest_compilecheck.observe.guards.scope import Missing
from pytest_compilecheck.observe.guards.tensor import OTHER_KEYS
from pytest_compilecheck.observe.guards.tree import Guard, Tree
from pytest_compilecheck.observe.values.recompile import Change

_RELATIONS = ("NO_TENSOR_ALIASING", "OBJECT_ALIASING", "SYMBOLIC_SHAPE_GUARD")
# Guards on modes of the process, with what to call a mode whose values are not known.
_MODES = {
    "GLOBAL_STATE": "a mode of torch",
    "TORCH_FUNCTION_MODE_STACK": "torch function modes",
    "DEFAULT_DEVICE": "default device",
}
_MODE_SOURCE = "___get_torch_function_mode_stack_at"
# What is beneath a value of another kind differs because of that.
_ENDS_PATH = ("python_type", "object_identity", "dict_keys", "other")


@dataclass(frozen=True, slots=True)
class Found:
    """A change with torch's name for what changed.

    `parameter` tells that it is that of a Parameter or buffer, whose sizes torch always fixes.
    """

    source: str
    change: Change
    parameter: bool = False


def failures(
    tree: Tree,
    attributes: Iterable[str],
    frame: Frame,
    modes: ProcessState | None,
) -> Iterator[Found]:
    """All that does not hold in a frame.

    `attributes` must be there, whatever they are. `modes` are those in which the graph was made.
    What lies beneath a value of another kind is left out, and each thing is told once.
    """
    walk = _Walk(frame)
    told: dict[str, set[str]] = {}
    for found in chain(walk.changes(tree), walk.gone(attributes)):
        change = found.change
        causes = told.setdefault(change.source, set())
        if change.cause in causes or (causes and change.cause in ("object_identity", "other")):
            continue
        causes.add(change.cause)
        if change.cause in _ENDS_PATH and found.source != "L":
            walk.ended.append(found.source)
        yield found
    if walk.modes_failed:
        yield from _mode_changes(walk.modes_failed, modes)


class _Walk:
    """One walk through a tree of guards: which fail, and where to go no deeper."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        self.ended: list[str] = []
        self.modes_failed: list[Guard] = []

    def changes(self, tree: Tree) -> Iterator[Found]:
        for source in tree.ordered_dicts:
            change = dict_length_change(source, self._frame)
            if change is not None:
                yield Found(source, change)
        relations = [guard for guard in tree.guards if guard.kind in _RELATIONS]
        for guard in tree.guards:
            if guard.kind not in _RELATIONS:
                yield from self._of_value(guard)
        for guard in (*tree.relations, *relations):
            yield from self._of_several(guard)

    def gone(self, attributes: Iterable[str]) -> Iterator[Found]:
        for source in attributes:
            if not self._is_beneath(source) and not self._frame.scope.has(source):
                for change in missing_change(source, self._frame):
                    yield Found(source, change)

    def _of_value(self, guard: Guard) -> Iterator[Found]:
        if self._is_beneath(guard.source) or _holds(guard, self._frame):
            return
        if guard.kind in _MODES or guard.source.startswith(_MODE_SOURCE):
            self.modes_failed.append(guard)
            return
        for change in guard_changes(guard, self._frame):
            if self.modes_failed and change.actual == OTHER_KEYS:
                continue  # of the modes, not of the tensor
            yield Found(guard.source, change, _is_parameter(guard.source, self._frame))

    def _of_several(self, guard: Guard) -> Iterator[Found]:
        if guard.holds(self._frame.scope.value("L")) is True:
            return
        for source, change in relation_changes(guard, self._frame):
            if not self._is_beneath(source) and source not in self.ended:
                yield Found(source, change, _is_parameter(source, self._frame))

    def _is_beneath(self, source: str) -> bool:
        return any(source != above and _leads_through(source, above) for above in self.ended)


def _leads_through(source: str, above: str) -> bool:
    return re.search(rf"(?:^|\(){re.escape(above)}(?!\w)", source) is not None


def _holds(guard: Guard, frame: Frame) -> bool:
    try:
        return guard.holds(frame.scope.value(guard.source)) is not False
    except Missing:
        return False
    except Exception:  # noqa: BLE001 - comparing runs code of the user's classes
        return True


def _is_parameter(source: str, frame: Frame) -> bool:
    try:
        value = frame.scope.value(re.sub(r"\.(?:size|stride)\(\)\[\d+\]$", "", source))
    except Missing:
        return False
    return isinstance(value, torch.nn.Parameter) or "._buffers['" in source


def _mode_changes(guards: list[Guard], modes: ProcessState | None) -> Iterator[Found]:
    changes = mode_changes(modes, process_state()) if modes is not None else []
    for change in changes or map(_unknown_mode, guards):
        yield Found(change.source if changes else "", change)


def _unknown_mode(guard: Guard) -> Change:
    changed = re.search(r"changed: (.+)", " ".join(guard.texts))
    name = changed[1].strip() if changed else _MODES.get(guard.kind, "a mode of torch")
    return Change(cause="global_state", holder="process", source=name, expected="", actual="")
