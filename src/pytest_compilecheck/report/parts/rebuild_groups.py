"""Folds recompile events into entries: all that one change rebuilt, with its frames under it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from pytest_compilecheck.observe.values.cures import RESULT_OF_LINE
from pytest_compilecheck.observe.values.recompile import Change, RecompileEvent, count_recompiles
from pytest_compilecheck.report.wording import function_name

Place = tuple[str, str, int]
"""Function, file and line of a code object."""


@dataclass(frozen=True)  # no slots: what is made once is kept
class Group:
    """The rebuilds of one change, or of the same thing changing in call after call."""

    events: tuple[RecompileEvent, ...]

    @cached_property
    def calls(self) -> list[int]:
        """The calls in which it rebuilt something, in order."""
        return sorted({event.call for event in self.events})

    @cached_property
    def recompiles(self) -> int:
        """Rebuilds as a person counts them."""
        return count_recompiles(self.events)

    @property
    def places(self) -> dict[Place, int]:
        """The code that was rebuilt, each with how often."""
        counted: dict[Place, int] = {}
        for event in self.events:
            place = place_of(event)
            counted[place] = counted.get(place, 0) + 1
        return counted

    @cached_property
    def histories(self) -> list[tuple[Change, list[str]]]:
        """What changed, each thing with its values one after the other; the main thing first.

        What another frame knows under another name, with the same values, is one thing.
        """
        found: dict[Hashable, tuple[Change, list[str]]] = {}
        for event in self.events:
            for change in event.changes:
                _, values = found.setdefault(_thing(change), (change, []))
                if values[-1:] != [change.expected] and not _repeats(values, change):
                    values.append(change.expected)
                if values[-1:] != [change.actual]:
                    values.append(change.actual)
        return _without_twins(list(found.values()))


def groups(events: Iterable[RecompileEvent]) -> list[Group]:
    """Entries in the order of their first calls."""
    in_order = sorted(events, key=lambda event: event.call)
    found: dict[Hashable, list[RecompileEvent]] = {}
    for _, of_call in groupby(in_order, key=lambda event: event.call):
        for together in _of_one_change(list(of_call)):
            key = (
                frozenset(place_of(event) for event in together),
                frozenset(_labelled(change) for event in together for change in event.changes),
            )
            found.setdefault(key, []).extend(together)
    return [Group(tuple(together)) for together in found.values()]


def place_of(event: RecompileEvent) -> Place:
    """The code that an event rebuilt."""
    return function_name(event.function), event.file, event.line


def _of_one_change(events: Sequence[RecompileEvent]) -> list[list[RecompileEvent]]:
    """The events of one call, those together that share a change."""
    parts: list[tuple[set[Hashable], list[RecompileEvent]]] = []
    for event in events:
        keys = {key for change in event.changes for key in _keys(change)}
        sharing = [part for part in parts if part[0] & keys]
        merged = (
            keys.union(*(part[0] for part in sharing)),
            [each for part in sharing for each in part[1]] + [event],
        )
        parts = [part for part in parts if part not in sharing] + [merged]
    return _joined([part[1] for part in parts])


def _joined(parts: Sequence[list[RecompileEvent]]) -> list[list[RecompileEvent]]:
    """Parts that are one recompile as a person counts them, of several causes, made one."""
    joined: list[list[RecompileEvent]] = []
    for part in parts:
        for into in joined:
            if count_recompiles([*into, *part]) < count_recompiles(into) + count_recompiles(part):
                into.extend(part)
                break
        else:
            joined.append(list(part))
    return joined


def _keys(change: Change) -> tuple[Hashable, ...]:
    """By what two events of one call are known to share a change: its name, or its values."""
    name = "" if change.cause == "shape" else change.source.rpartition(".")[2]
    return (change.cause, name, change.expected, change.actual), _thing(change)


def _thing(change: Change) -> Hashable:
    return change.cause, change.source


def _labelled(change: Change) -> Hashable:
    """A thing with what is said of its change: each label has a cure of its own."""
    return _thing(change), change.automatic_dynamic, change.special


def _repeats(values: list[str], change: Change) -> bool:
    """Whether the change goes from and to values that are told already."""
    return change.expected in values and change.actual in values


def _without_twins(
    found: list[tuple[Change, list[str]]],
) -> list[tuple[Change, list[str]]]:
    kept: dict[Hashable, tuple[Change, list[str]]] = {}
    for change, values in found:
        is_left_behind = change.source.startswith(RESULT_OF_LINE)
        key = (change.cause, tuple(values)) if is_left_behind else (change.cause, change.source)
        known = any(each.cause == change.cause and told == values for each, told in kept.values())
        if not (is_left_behind and known):
            kept[key] = (change, values)
    return list(kept.values())
