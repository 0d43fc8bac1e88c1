"""What a row of the tables of changes says: how a value changes, and what is told of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from observe.guards.scenarios import Use

from pytest_compilecheck.observe.values.recompile import Change


@dataclass(frozen=True, slots=True)
class Told:
    """A change as it is to be told; `holder` only where it does not live where the value does.

    In the texts "{}" stands for the value's name, "{word}" for the last word of it.
    """

    cause: str
    source: str
    before: str
    after: str
    cure: str
    automatic: bool = False
    special: str | None = None
    holder: str | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """A function that uses a value, the values of its calls, and what is told of the last one.

    `told` has the changes for each place, the main one first. A case that is `deep` stands for its
    cause in containers too.
    """

    name: str
    use: Use
    values: tuple[Callable[[], Any], ...]
    told: Mapping[str, tuple[Told, ...]]
    deep: bool = False


def everywhere(*told: Told) -> dict[str, tuple[Told, ...]]:
    """The same in each place."""
    return dict.fromkeys(("argument", "module", "global", "closure"), told)


Row = tuple[str, str, str, str, str, str, bool, str | None]


def row(told: Told, place: str, name: str, word: str) -> Row:
    """A change to be told of a value of this name, to compare with `row_of`."""
    return (
        told.cause,
        told.holder or place,
        told.source.replace("{}", name),
        told.before.replace("{}", name),
        told.after,
        told.cure.replace("{}", name).replace("{word}", word),
        told.automatic,
        told.special,
    )


def row_of(change: Change) -> Row:
    """What is told of a change."""
    cure = change.cure
    if change.fixed_at is not None:
        cure = cure.replace(f"{change.fixed_at.file}:{change.fixed_at.line}", "<line>")
    return (
        change.cause,
        change.holder,
        change.source,
        change.expected,
        change.actual,
        cure,
        change.automatic_dynamic,
        change.special,
    )
