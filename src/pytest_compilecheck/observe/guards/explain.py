"""Explains rebuilds: which assumption of the graph that served last does not hold any more."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pytest_compilecheck.observe import torch_adapter
from pytest_compilecheck.observe.events import GraphFacts, Reason
from pytest_compilecheck.observe.guards.failures import Found, failures
from pytest_compilecheck.observe.guards.fragile import fragile_guards
from pytest_compilecheck.observe.guards.frame import Frame, Remembered
from pytest_compilecheck.observe.guards.memory import Assumed, assumed, digest
from pytest_compilecheck.observe.guards.names import Names
from pytest_compilecheck.observe.guards.process import process_state
from pytest_compilecheck.observe.guards.scope import Scope
from pytest_compilecheck.observe.guards.tree import looked_up, read_tree
from pytest_compilecheck.observe.reason_text import culprit, without_place
from pytest_compilecheck.observe.values.cures import GUARDS_HOLD_NOW
from pytest_compilecheck.observe.values.recompile import Change

_LOCAL = re.compile(r"\bL\['(\w+)'\]")
_SIZE = re.compile(r"\.size\((\d+)\)$")
_AT_INDEX = re.compile(r"(?P<what>size|stride) mismatch at index (?P<index>\d+)")
_PROCESS_TEXTS = ("GLOBAL_STATE", "___check_torch_function_mode_stack", "CURRENT_DEVICE")
_NOTHING_REMEMBERED = Remembered()


class Explainer:
    """Keeps what each graph of a watch assumed; gives what explains the rebuild of a frame."""

    def __init__(self) -> None:
        self._graphs: dict[int, Assumed] = {}

    def of(self, frame: Any) -> FrameGuards:
        """For a frame that Dynamo is about to look at."""
        return FrameGuards(frame, self._graphs)


class FrameGuards:
    """The guards of one frame while it is converted (`events.FrameGuards`)."""

    def __init__(self, frame: Any, graphs: dict[int, Assumed]) -> None:
        self._frame = frame
        self._graphs = graphs
        self._modes = process_state()
        self._found: tuple[Found, ...] = ()
        self._made: Assumed | None = None

    def name(self, source: str) -> str:
        """The author's name for an expression of torch's."""
        code, namespace = self._frame.f_code, self._frame.f_globals
        return Names(code, Scope({"L": self._frame.f_locals, "G": namespace})).of(source)

    def explain(self, reasons: Sequence[Reason]) -> None:
        """Find what differs from the assumptions of the graph that served last."""
        reason = culprit(reasons)
        try:
            found = self._failures(reason) or [Found("", self._gone(reason.text))]
        except Exception:  # noqa: BLE001 - it looks into objects of anybody's classes
            found = [Found("", _untold(reason.text))]
        self._found = tuple(_main_first(found, reason.text))

    def compiled(self, guarded: Any) -> GraphFacts | None:
        """Remember what the graph assumes that was made for the frame; None if it cannot be read.

        `guarded` is torch's `GuardedCode`.
        """
        try:
            scope = Scope(torch_adapter.guard_scope(guarded.guard_manager, self._frame))
            tree = read_tree(guarded.guard_manager.root)
            names = Names(self._frame.f_code, scope)
            self._made = assumed(guarded.code, tree, scope, self._modes)
            self._graphs[id(guarded.code)] = self._made
            return GraphFacts(
                sizes={names.of(source): dims for source, dims in self._made.dims.items()},
                fragile=tuple(fragile_guards(tree, scope, names)),
                digest=digest(tree, self._modes),
            )
        except Exception:  # noqa: BLE001 - it looks into objects of anybody's classes
            return None

    def changes(self) -> tuple[Change, ...]:
        """What `explain` found, the main change first; settled by the graph that was made."""
        return settled(self._found, self._made)

    def _failures(self, reason: Reason) -> list[Found]:
        entry = torch_adapter.cache_entry(self._frame.f_code, reason.compile_id)
        if entry is None:
            return []
        facts = self._graphs.get(id(entry.code))
        scope = Scope(torch_adapter.guard_scope(entry.guard_manager, self._frame))
        at_hand = Frame(
            scope=scope,
            names=Names(self._frame.f_code, scope),
            before=facts.remembered if facts else _NOTHING_REMEMBERED,
        )
        root = entry.guard_manager.root
        modes = facts.modes if facts else None
        return list(failures(read_tree(root), looked_up(root), at_hand, modes))

    def _gone(self, text: str) -> Change:
        """The change where torch dropped a graph because an object that it needs is gone."""
        gone = re.search(r"because (?P<name>.+?) got deallocated", text)
        if gone is None:
            return _untold(text)
        scope = Scope({"L": self._frame.f_locals, "G": self._frame.f_globals})
        names = Names(self._frame.f_code, scope)
        return Change(
            cause="object_identity",
            holder=names.holder(gone["name"]),
            source=names.of(gone["name"]),
            expected="the same object",
            actual="another one: the first is gone",
        )


def settled(found: Sequence[Found], after: Assumed | None) -> tuple[Change, ...]:
    """The changes, once it is known what the new graph assumes; None if none was made."""
    changes = [_settled(each, after) for each in found]
    return tuple(each.change for each in _parameter_first(changes))


def _settled(found: Found, after: Assumed | None) -> Found:
    change = found.change
    if after is not None and _became_symbolic(found, after):
        change = replace(change, automatic_dynamic=True, special=None)
    elif found.parameter and change.cause == "shape":
        change = replace(change, special="static_parameter")
    return replace(found, change=change)


def _became_symbolic(found: Found, after: Assumed) -> bool:
    change = found.change
    size = _SIZE.search(change.source)
    if change.cause == "shape" and size:
        dims = after.dims.get(found.source, ())
        fixed_before = change.expected.isdigit()
        return fixed_before and int(size[1]) < len(dims) and dims[int(size[1])] is None
    if change.cause not in ("python_value", "module_state") or change.special is not None:
        return False
    return found.source in after.symbolic_numbers


def _main_first(found: list[Found], culprit: str) -> list[Found]:
    """The changes with that first which torch names."""
    if not found:
        return []
    main = max(found, key=lambda each: _likeness(each, culprit))
    return [main, *(each for each in found if each is not main)]


def _likeness(found: Found, culprit: str) -> int:
    if culprit.startswith(_PROCESS_TEXTS):
        return int(found.change.cause == "global_state")
    if "Duplicate tensors" in culprit:
        return int(found.change.cause == "alias")
    name = _LOCAL.sub(r"\1", found.source)
    if not name or name not in without_place(culprit):
        return -1
    at = _AT_INDEX.search(culprit)
    exact = at is not None and found.change.source.endswith(f".{at['what']}({at['index']})")
    return 2 * len(name) + exact


def _parameter_first(found: list[Found]) -> list[Found]:
    """Where the size of a Parameter keeps another tensor's from becoming a symbol, blame it."""
    if not found:
        return []
    main = found[0]
    tied = next((each for each in found if _ties(each, main)), None)
    if tied is None or main.parameter or main.change.automatic_dynamic:
        return found
    return [tied, *(each for each in found if each is not tied)]


def _ties(found: Found, main: Found) -> bool:
    one, other = found.change, main.change
    return found.parameter and (one.cause, one.expected, one.actual) == (
        "shape",
        other.expected,
        other.actual,
    )


def _untold(text: str) -> Change:
    """A change of which there is only torch's own text."""
    if not text or "BACKEND_MATCH" in text:  # 2.8 does not say it: no guard failed
        return Change(
            cause="other",
            holder="process",
            source="backend of torch.compile",
            expected="the same backend function",
            actual="another one",
        )
    raced = text.startswith("Unexpected recompilation")  # 2.13 and newer: all guards hold
    source = GUARDS_HOLD_NOW if raced else without_place(text)
    return Change(cause="other", holder="process", source=source, expected="", actual="")
