"""Recompiles as plain values: what was rebuilt in which call, and what had changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Literal

from pytest_compilecheck.contract.causes import Cause
from pytest_compilecheck.observe.values.cures import cure
from pytest_compilecheck.observe.values.place import Frame

Holder = Literal["argument", "module", "global", "closure", "process"]
AttemptOutcome = Literal[
    "limit", "nothing_to_compile", "graph_break", "user_exception", "backend_error", "skipped"
]
Special = Literal["zero_one", "duck_shape", "static_parameter", "condition", "specialized"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One thing that is other than the cached graph assumed.

    `source` is the author's name for it ("x.size(1)", "self.step", "grad mode"), `expected` and
    `actual` its value then and now, in words; "" where it cannot be known. `holder` is where it
    lives. `automatic_dynamic` tells that this rebuild made it a symbol. `special` says what is
    special about a size: it is 0 or 1, it was taken to equal another size, it is tied to the fixed
    size of a Parameter, the code asks a condition of it, the code needs it as a number; `fixed_at`
    is the line that does.
    """

    cause: Cause
    holder: Holder
    source: str
    expected: str
    actual: str
    automatic_dynamic: bool = False
    special: Special | None = None
    fixed_at: Frame | None = None

    encoded: ClassVar[tuple[str, ...]] = ("cure",)  # shown in JSON beside the fields

    @property
    def cure(self) -> str:
        """What usually helps."""
        return cure(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebuild:
    """A code object for which no cache entry's guards held, in one call.

    `guard` is torch's own text of the guard that failed, for the entry that served last. `changes`
    are all things that were other than that entry assumed, at least one, the main one first; its
    facts are to be had from here too. `automatic_dynamic` is true only where all became symbols.
    """

    call: int
    function: str
    file: str
    line: int
    guard: str
    changes: tuple[Change, ...]

    encoded: ClassVar[tuple[str, ...]] = (
        "cause",
        "holder",
        "source",
        "expected",
        "actual",
        "automatic_dynamic",
        "cure",
    )

    @property
    def cause(self) -> Cause:
        """What changed."""
        return self.changes[0].cause

    @property
    def holder(self) -> Holder:
        """Where it lives."""
        return self.changes[0].holder

    @property
    def source(self) -> str:
        """The author's name for it."""
        return self.changes[0].source

    @property
    def expected(self) -> str:
        """Its value before."""
        return self.changes[0].expected

    @property
    def actual(self) -> str:
        """Its value now."""
        return self.changes[0].actual

    @property
    def cure(self) -> str:
        """What usually helps."""
        return self.changes[0].cure

    @property
    def automatic_dynamic(self) -> bool:
        """Whether the rebuild made symbols of all that had changed."""
        return all(change.automatic_dynamic for change in self.changes)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecompileEvent(Rebuild):
    """One code object compiled again.

    `code_object` numbers the code objects of a watch: two functions of one name differ in it.
    `guards` are torch's texts for all entries, `guard` first among them but for one case.
    """

    code_object: int
    guards: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecompileAttempt(Rebuild):
    """A rebuild that torch logs and that made no graph; it is not a recompile."""

    outcome: AttemptOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class FragileGuard:
    """An assumption of a cached graph that is likely to fail in a later call.

    `value` is what the graph takes `source` to be. `file` and `line` say where the code uses it,
    None where torch does not tell. `rank` orders them, the most likely to change first, from 0.
    """

    source: str
    value: str
    holder: Holder
    file: str | None
    line: int | None
    why: str
    rank: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AssumedSizes:
    """Sizes that one graph of a region's own function assumes, by the author's names.

    None is a size that the graph takes as it comes: a symbol.
    """

    call: int
    function: str
    file: str
    line: int
    sizes: dict[str, tuple[int | None, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedSize:
    """A symbolic size of which the code at a line made a number.

    `sources` are the author's names of what was fixed ("x.size(0)"), `reason` torch's own words.
    """

    call: int
    sources: tuple[str, ...]
    value: str
    file: str
    line: int
    function: str
    code: str
    reason: str


def count_recompiles(events: Iterable[RecompileEvent]) -> int:
    """Rebuilds as a person counts them.

    In each call the number of times that its most-rebuilt code object was rebuilt, summed over
    the calls: a new length in a function split in four pieces is four events and one recompile.
    """
    rebuilt = Counter((event.call, event.code_object) for event in events)
    most: dict[int, int] = {}
    for (call, _), times in rebuilt.items():
        most[call] = max(most.get(call, 0), times)
    return sum(most.values())
