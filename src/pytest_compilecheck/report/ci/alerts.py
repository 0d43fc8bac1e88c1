"""What an annotation or a code scanner points at: each thing that was seen, at a line of source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from pytest_compilecheck.contract.installed_files import portable
from pytest_compilecheck.judge.findings import (
    Finding,
    event_finding,
    fallback_finding,
    site_finding,
)
from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.judge.verdict import Violation
from pytest_compilecheck.observe.values.observation import BreakSite, Fallback, Observation
from pytest_compilecheck.observe.values.place import Frame
from pytest_compilecheck.observe.values.recompile import RecompileEvent
from pytest_compilecheck.report.parts.excused import fallback_excuse, recompile_excuse, site_excuse
from pytest_compilecheck.report.parts.fallbacks import KINDS, fallback_facts, fallback_title
from pytest_compilecheck.report.parts.rebuild_groups import Group, groups
from pytest_compilecheck.report.parts.recompiles import group_facts, group_title, history_text
from pytest_compilecheck.report.parts.sites import reason_text, site_facts
from pytest_compilecheck.report.parts.violations import by_importance, importance, violation_text
from pytest_compilecheck.report.style import Line, line
from pytest_compilecheck.report.wording import sentence

Level = Literal["error", "warning", "note"]


class Spot(NamedTuple):
    """A place in source; columns from 1 in characters, the end exclusive, None where unknown."""

    file: str
    line: int
    column: int | None = None
    end_column: int | None = None
    code: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """One thing that a contract forbids, counts or excuses, or a bound that does not hold.

    `rule` is its kind with its cause, `about` a title of that. `finding` names it in every run;
    where no place stands for it, its kind is the bound. `level` is "error" or "warning" where it
    breaks the contract, else "note". `spot` is where it is, None where torch does not tell; `own`
    the nearest line that is not an installed package's. `chain` are the callers from the outermost
    on, `facts` lines of the terminal's report, `docs` a page. `excused` says why it does not count:
    there are no facts then, since nothing is to be done.
    """

    finding: Finding
    rule: str
    about: str
    level: Level
    title: str
    facts: tuple[Line, ...] = ()
    spot: Spot | None = None
    own: Spot | None = None
    chain: tuple[Frame, ...] = ()
    docs: str | None = None
    excused: str | None = None

    @property
    def test_file(self) -> str:
        """The file of the test, or the contract file."""
        return self.finding.contract.partition("::")[0]


# Violations that a site, a recompile or a fallback stands for, the one that it is named for first.
_BOUNDS: Mapping[str, tuple[str, ...]] = {
    "graph_break": ("max_graph_breaks", "nothing_compiled"),
    "recompile": ("max_recompiles", "max_recompiles_after_warmup"),
    "fallback": ("fallback", "nothing_compiled"),
}
_RAISED = "raised"


def alerts(record: ContractRecord) -> list[Alert]:
    """All alerts of a contract, those that matter most first."""
    seen = record.observed
    found = [] if seen is None else [*_sites(record, seen), *_fallbacks(record, seen)]
    found += [] if seen is None else _recompiles(record, seen)
    return sorted([*_bounds(record, found), *found], key=rank)


def rank(alert: Alert) -> int:
    """How much an alert matters beside others of its level: the lower the more."""
    kind = alert.finding.kind
    return -1 if kind == _RAISED else importance(_BOUNDS.get(kind, (kind,))[0])


def _level(record: ContractRecord, kind: str, excused: str | None) -> Level:
    if excused is not None:
        return "note"
    violated = any(violation.bound in _BOUNDS[kind] for violation in record.verdict.violations)
    return _broken(record) if violated else "note"


def _broken(record: ContractRecord) -> Level:
    if record.outcome in ("failed", "error"):
        return "error"
    return "warning" if record.outcome == "warned" else "note"


def _sites(record: ContractRecord, seen: Observation) -> Iterator[Alert]:
    for index, site in enumerate(seen.break_sites):
        excused = site_excuse(record, index)
        spot = Spot(
            file=site.file,
            line=site.line,
            column=site.column,
            end_column=site.end_column,
            code=site.code.strip(),
        )
        yield Alert(
            finding=site_finding(record.unit, site),
            rule=f"graph_break/{site.gb_id}" if site.gb_id else "graph_break",
            about=reason_text(site) if site.gb_id else "graph break without an id",
            level=_level(record, "graph_break", excused),
            title=f"graph break: {reason_text(site)}",
            facts=() if excused else tuple(site_facts(site)),
            spot=spot,
            own=_own_spot(site, spot),
            chain=site.chain,
            docs=site.docs,
            excused=excused,
        )


def _own_spot(site: BreakSite, spot: Spot) -> Spot | None:
    if site.owner == "own":
        return spot
    frame = site.own_frame
    return None if frame is None else Spot(file=frame.file, line=frame.line)


def _recompiles(record: ContractRecord, seen: Observation) -> Iterator[Alert]:
    by_excuse: dict[str | None, list[RecompileEvent]] = {}
    for index, event in enumerate(seen.recompile_events):
        by_excuse.setdefault(recompile_excuse(record, index), []).append(event)
    for excused, events in by_excuse.items():
        for group in groups(events):
            yield _recompile(record, seen, group, excused)


def _recompile(
    record: ContractRecord, seen: Observation, group: Group, excused: str | None
) -> Alert:
    event = group.events[0]
    change, values = group.histories[0]
    spot = Spot(file=event.file, line=event.line)
    return Alert(
        finding=event_finding(record.unit, event),
        rule=f"recompile/{event.cause}",
        about=f"recompile because of {event.cause.replace('_', ' ')}",
        level=_level(record, "recompile", excused),
        title=f"recompile: {history_text(change, values)}",
        facts=() if excused else (group_title(group), *group_facts(group, seen.timeline)),
        spot=spot,
        own=_unless_installed(spot),
        excused=excused,
    )


def _fallbacks(record: ContractRecord, seen: Observation) -> Iterator[Alert]:
    for index, fallback in enumerate(seen.fallbacks):
        excused = fallback_excuse(record, index)
        spot = _fallback_spot(fallback)
        yield Alert(
            finding=fallback_finding(record.unit, fallback),
            rule=f"fallback/{fallback.kind}",
            about=f"fallback: {KINDS[fallback.kind]}",
            level=_level(record, "fallback", excused),
            title=f"fallback: {KINDS[fallback.kind]}",
            facts=() if excused else _fallback_facts(fallback, seen),
            spot=spot,
            own=None if spot is None else _unless_installed(spot),
            excused=excused,
        )


def _fallback_facts(fallback: Fallback, seen: Observation) -> tuple[Line, ...]:
    return line(fallback_title(fallback)), *fallback_facts(fallback, seen)


def _fallback_spot(fallback: Fallback) -> Spot | None:
    if fallback.file is None or fallback.line is None:
        return None
    return Spot(file=fallback.file, line=fallback.line)


def _unless_installed(spot: Spot) -> Spot | None:
    return spot if portable(spot.file) == spot.file else None


def _bounds(record: ContractRecord, found: list[Alert]) -> Iterator[Alert]:
    """Violations that none of the other alerts stands for, and what the test itself raised."""
    if record.error is not None and _broken(record) != "note":
        yield _bound(record, _RAISED, f"the test itself raised {sentence(record.error)}")
    kinds = {alert.finding.kind for alert in found if alert.excused is None}
    for violation in by_importance(record.verdict.violations):
        if not kinds & _kinds(violation):
            yield _bound(record, violation.bound, violation_text(violation), violation.subject)


def _kinds(violation: Violation) -> set[str]:
    """The kinds of alerts that stand for a violation."""
    return {kind for kind, bounds in _BOUNDS.items() if violation.bound in bounds}


def _bound(record: ContractRecord, bound: str, told: str, subject: str = "") -> Alert:
    finding = Finding(record.unit, bound, cause=subject)
    return Alert(
        finding=finding,
        rule=bound,
        about=bound.replace("_", " "),
        level=_broken(record),
        title=told,
    )
