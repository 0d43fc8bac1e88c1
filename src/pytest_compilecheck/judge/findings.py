"""What counts against a contract, by names that outlive a run: no lines, no paths of a machine."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from pytest_compilecheck.contract.installed_files import portable
from pytest_compilecheck.judge.counted import (
    counted_fallbacks,
    counted_recompiles,
    counted_sites,
)
from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.observe.values.observation import BreakSite, Fallback
from pytest_compilecheck.observe.values.recompile import RecompileEvent, count_recompiles


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One kind of thing that counts against a contract, the same in every run that meets it.

    `contract` is the record's `unit`. `file` is relative to the rootdir, or to the place of
    installed packages; `file` and `function` are "" where torch does not tell them. `kind` is
    "graph_break", "recompile" or "fallback"; where a bound without a place is meant, the bound.
    `cause` is the GB id of a graph break (its reason where it has none), what changed for a
    recompile, the kind of a fallback, the subject of a bound.
    """

    contract: str
    kind: str
    file: str = ""
    function: str = ""
    cause: str = ""


def findings(record: ContractRecord) -> Counter[Finding]:
    """What counts under the contract, and how often; what it excuses is left out.

    Break sites and fallbacks count one each, recompiles as `count_recompiles` counts those of one
    finding: functions that are rebuilt in the same call are findings of their own, so that their
    sum may be more than the record's `recompiles`.
    """
    sites = Counter(site_finding(record.unit, site) for site in counted_sites(record))
    fallbacks = Counter(fallback_finding(record.unit, each) for each in counted_fallbacks(record))
    return sites + rebuilt(record.unit, counted_recompiles(record)) + fallbacks


def rebuilt(contract: str, events: Iterable[RecompileEvent]) -> Counter[Finding]:
    """The findings of recompile events."""
    found: defaultdict[Finding, list[RecompileEvent]] = defaultdict(list)
    for event in events:
        found[event_finding(contract, event)].append(event)
    return Counter({finding: count_recompiles(events) for finding, events in found.items()})


def site_finding(contract: str, site: BreakSite) -> Finding:
    """What a break site counts as."""
    cause = site.gb_id or site.reason
    return Finding(contract, "graph_break", portable(site.file), site.function, cause)


def event_finding(contract: str, event: RecompileEvent) -> Finding:
    """What a recompile event counts as: by the main thing that changed."""
    return Finding(contract, "recompile", portable(event.file), event.function, event.cause)


def fallback_finding(contract: str, fallback: Fallback) -> Finding:
    """What a fallback counts as."""
    file, function = portable(fallback.file or ""), fallback.function or ""
    return Finding(contract, "fallback", file, function, fallback.kind)
