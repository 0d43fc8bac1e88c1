"""What a contract says of an observation: plain values, without torch or pytest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from pytest_compilecheck import codec

Number = int | float

NOISY_BOUNDS: Final = ("max_compile_seconds", "max_memory_growth", "preferred_policy")
"""Bounds whose figures differ from run to run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """One bound that did not hold. `observed` is None where the figure is unknown.

    `subject` is the dim or operator that it is about, "" where the bound says it all. `known` is
    how much of the figure the baseline knows, None where it knows nothing of it. `why` says why the
    figure is unknown, "" where it is known or the bound has one usual reason.
    """

    bound: str
    allowed: Number | None
    observed: Number | None
    message: str
    subject: str = ""
    known: Number | None = None
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowed:
    """One exception of the contract and what it excused.

    `matched` holds one line for each thing excused, `partly` for each rebuild of whose changes it
    fits some and nothing fits the others; an exception with neither is stale. `nearly` tells of a
    stale one what it would excuse but for one of its keys.
    """

    rule: str
    because: str
    matched: tuple[str, ...]
    partly: tuple[str, ...] = ()
    nearly: tuple[str, ...] = ()

    @property
    def near_miss(self) -> str:
        """The first of `nearly`, and how many more there are; "" where there is none."""
        more = f" (and {len(self.nearly) - 1} more like it)" if len(self.nearly) > 1 else ""
        return f"{self.nearly[0]}{more}" if self.nearly else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The violated bounds of one contract, and what its exceptions excused.

    `excused_sites` are indexes into the observation's `break_sites` that did not count, because of
    an exception or of `owners`; `excused_recompiles` likewise into `recompile_events` and
    `excused_fallbacks` into `fallbacks`. `known` are bounds that do not hold either, by no more
    than the baseline knows; `known_sites`, `known_recompiles` and `known_fallbacks` are the indexes
    of what it knows.
    """

    violations: tuple[Violation, ...]
    allowed: tuple[Allowed, ...] = ()
    excused_sites: tuple[int, ...] = ()
    excused_recompiles: tuple[int, ...] = ()
    excused_fallbacks: tuple[int, ...] = ()
    known: tuple[Violation, ...] = ()
    known_sites: tuple[int, ...] = ()
    known_recompiles: tuple[int, ...] = ()
    known_fallbacks: tuple[int, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether the contract is kept."""
        return not self.violations

    def to_dict(self) -> dict[str, Any]:
        """JSON-able form."""
        data: dict[str, Any] = codec.encode(self)
        return data

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Verdict:
        """Inverse of `to_dict`."""
        return codec.decode(cls, data)
