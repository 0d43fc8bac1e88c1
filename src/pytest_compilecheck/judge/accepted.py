"""What the exceptions of a contract excused, counted as the figures are."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from pytest_compilecheck.judge.told import told_change, told_fallback, told_site
from pytest_compilecheck.observe.values.observation import BreakSite, Fallback
from pytest_compilecheck.observe.values.recompile import RecompileEvent, count_recompiles

if TYPE_CHECKING:
    from pytest_compilecheck.judge.record import ContractRecord

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Excused:
    """Break sites, recompile events and fallbacks that exceptions excused."""

    sites: Sequence[BreakSite]
    events: Sequence[RecompileEvent]
    fallbacks: Sequence[Fallback]

    @property
    def recompiles(self) -> int:
        """Recompiles as a person counts them: once for each call, however many pieces it has."""
        return count_recompiles(self.events)

    @property
    def calls(self) -> list[int]:
        """The calls in which any of it was, each once, in order."""
        found = {call for site in self.sites for call in site.event_calls}
        found |= {event.call for event in self.events}
        return sorted(found.union(*(fallback.calls for fallback in self.fallbacks)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """One exception of a contract, why it stands, and what it excused."""

    rule: str
    because: str
    excused: Excused


def accepted(record: ContractRecord) -> Iterator[Accepted]:
    """Each exception that excused something. Several may fit one thing, which is then of each."""
    for each in record.verdict.allowed:
        if each.matched:
            yield Accepted(
                rule=each.rule, because=each.because, excused=_excused(record, each.matched)
            )


def excused(record: ContractRecord) -> Excused:
    """All that some exception excused, each thing once; the choice of owners is none."""
    return _excused(record, [told for each in record.verdict.allowed for told in each.matched])


def _excused(record: ContractRecord, matched: Iterable[str]) -> Excused:
    told, seen, verdict = set(matched), record.observed, record.verdict
    if not told:  # as of most contracts: nothing has to be named
        return Excused(sites=[], events=[], fallbacks=[])
    sites = _at(seen.break_sites if seen else (), verdict.excused_sites)
    events = _at(seen.recompile_events if seen else (), verdict.excused_recompiles)
    fallbacks = _at(seen.fallbacks if seen else (), verdict.excused_fallbacks)
    return Excused(
        sites=[each for each in sites if told_site(each) in told],
        events=[
            each
            for each in events
            if any(told_change(each.call, change) in told for change in each.changes)
        ],
        fallbacks=[each for each in fallbacks if told_fallback(each) in told],
    )


def _at(found: Sequence[T], indexes: Collection[int]) -> list[T]:
    return [each for index, each in enumerate(found) if index in indexes]
