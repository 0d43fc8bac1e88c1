"""Which break sites, recompiles and fallbacks of a record count, and which its contract excuses."""

from __future__ import annotations

from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.observe.observation import BreakSite, Fallback
from pytest_compilecheck.observe.recompile import RecompileEvent


def counted_sites(record: ContractRecord) -> list[BreakSite]:
    """Break sites that no exception and no choice of owners excuses."""
    sites = record.observed.break_sites if record.observed else ()
    return [site for index, site in enumerate(sites) if index not in record.verdict.excused_sites]


def counted_recompiles(record: ContractRecord) -> list[RecompileEvent]:
    """Recompile events that no exception excuses."""
    events = record.observed.recompile_events if record.observed else ()
    excused = record.verdict.excused_recompiles
    return [event for index, event in enumerate(events) if index not in excused]


def counted_fallbacks(record: ContractRecord) -> list[Fallback]:
    """Fallbacks that the contract does not allow."""
    fallbacks = record.observed.fallbacks if record.observed else ()
    return [
        fallback
        for index, fallback in enumerate(fallbacks)
        if index not in record.verdict.excused_fallbacks
    ]


def foreign_sites(record: ContractRecord) -> list[BreakSite]:
    """Break sites that do not count because the contract's `owners` leaves their owner out."""
    owners = record.contract.get("owners")
    sites = record.observed.break_sites if record.observed else ()
    return [site for site in sites if owners is not None and site.owner not in owners]
