"""Which break sites, recompiles and fallbacks of a record count, and which of these are new."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, TypeVar

from pytest_compilecheck.observe.values.doubt import Figure
from pytest_compilecheck.observe.values.observation import BreakSite, Fallback
from pytest_compilecheck.observe.values.recompile import RecompileEvent, count_recompiles

if TYPE_CHECKING:
    from pytest_compilecheck.judge.record import ContractRecord

T = TypeVar("T")


def counted_sites(record: ContractRecord) -> list[BreakSite]:
    """Break sites that no exception and no choice of owners excuses."""
    sites = record.observed.break_sites if record.observed else ()
    return _without(sites, record.verdict.excused_sites)


def new_sites(record: ContractRecord) -> list[BreakSite]:
    """Those that the baseline does not know."""
    sites = record.observed.break_sites if record.observed else ()
    return _without(sites, record.verdict.excused_sites + record.verdict.known_sites)


def counted_recompiles(record: ContractRecord) -> list[RecompileEvent]:
    """Recompile events that no exception excuses."""
    events = record.observed.recompile_events if record.observed else ()
    return _without(events, record.verdict.excused_recompiles)


def new_recompiles(record: ContractRecord) -> list[RecompileEvent]:
    """Those that the baseline does not know."""
    events = record.observed.recompile_events if record.observed else ()
    return _without(events, record.verdict.excused_recompiles + record.verdict.known_recompiles)


def counted_fallbacks(record: ContractRecord) -> list[Fallback]:
    """Fallbacks that the contract does not allow."""
    fallbacks = record.observed.fallbacks if record.observed else ()
    return _without(fallbacks, record.verdict.excused_fallbacks)


def new_fallbacks(record: ContractRecord) -> list[Fallback]:
    """Those that the baseline does not know."""
    fallbacks = record.observed.fallbacks if record.observed else ()
    return _without(fallbacks, record.verdict.excused_fallbacks + record.verdict.known_fallbacks)


def breaks_counted(record: ContractRecord) -> int | None:
    """How many break sites count; None where that is unknown."""
    return _number(record, "graph_breaks", len(counted_sites(record)))


def recompiles_counted(record: ContractRecord) -> int | None:
    """How many recompiles count; None where that is unknown."""
    return _number(record, "recompiles", count_recompiles(counted_recompiles(record)))


def fallbacks_counted(record: ContractRecord) -> int | None:
    """How many fallbacks count; None where that is unknown."""
    return _number(record, "fallbacks", len(counted_fallbacks(record)))


def _number(record: ContractRecord, figure: Figure, count: int) -> int | None:
    unknown = record.observed is None or record.observed.why_unknown(figure)
    return None if unknown else count


def foreign_sites(record: ContractRecord) -> list[BreakSite]:
    """Break sites that do not count because the contract's `owners` leaves their owner out."""
    owners = record.contract.get("owners")
    sites = record.observed.break_sites if record.observed else ()
    return [site for site in sites if owners is not None and site.owner not in owners]


def _without(found: Sequence[T], left_out: Collection[int]) -> list[T]:
    if not left_out:
        return list(found)
    return [each for index, each in enumerate(found) if index not in left_out]
