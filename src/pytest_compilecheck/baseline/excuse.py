"""Holds a record against what is known: what is not new, and not worse, breaks no contract."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from pytest_compilecheck.baseline.evidence import (
    Evidence,
    evidence_of,
    is_certain,
    untold,
    violated,
)
from pytest_compilecheck.baseline.known import Known
from pytest_compilecheck.baseline.modes import Update
from pytest_compilecheck.judge.findings import (
    Finding,
    event_finding,
    fallback_finding,
    findings,
    site_finding,
)
from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.judge.verdict import Number, Verdict, Violation


@dataclass(frozen=True, slots=True)
class Improvement:
    """A finding that is better than the baseline has it; `seen` is None where it is gone.

    `needed` is False where what is left of it breaks no bound any more.
    """

    finding: Finding
    known: Number
    seen: Number | None
    needed: bool = True


def excused(record: ContractRecord, known: Known, update: Update | None = None) -> ContractRecord:
    """The record with a verdict in which what the baseline knows is no violation.

    Under `update` what this run will write into the baseline counts as known.
    """
    if not is_certain(record):
        update = None  # nothing of it will be written
    broken, excusable, covered = [], [], set[Finding]()
    for violation in record.verdict.violations:
        evidence = evidence_of(record, violation)
        new = _new(evidence, known, update) if evidence else []
        if evidence is None:
            broken.append(violation)
        elif new:
            broken.append(replace(violation, known=_known_of(record.unit, evidence, known)))
            # Where only the bound's own figure is worse, each of its places may be the one.
            if new != [Finding(record.unit, violation.bound)]:
                covered |= evidence.counts.keys() - set(new)
        else:
            excusable.append(violation)
            covered |= evidence.counts.keys()
    return replace(record, verdict=_verdict(record, broken, excusable, covered))


def improvements(record: ContractRecord, known: Known) -> list[Improvement]:
    """What is better than the baseline has it, under a release of which it has figures."""
    if not known.is_of_release or not is_certain(record):
        return []
    unclear = untold(record)
    told = {each: n for each, n in known.counts.items() if each.kind not in unclear}
    seen, within = seen_counts(record), findings(record)
    better = [
        Improvement(finding, count, seen[finding])
        for finding, count in told.items()
        if finding in seen and seen[finding] != count and known.allows(finding, seen[finding])
    ]
    return better + [
        Improvement(finding, count, within[finding] or None, needed=False)
        for finding, count in told.items()
        if finding not in seen
    ]


def seen_counts(record: ContractRecord) -> dict[Finding, Number]:
    """How often each finding behind a violated bound was met, known or not."""
    counts: dict[Finding, Number] = {}
    for evidence in violated(record):
        for finding, count in evidence.counts.items():
            counts[finding] = max(count, counts.get(finding, count))
    return counts


def _new(evidence: Evidence, known: Known, update: Update | None) -> list[Finding]:
    if update == "all":
        return []
    return [
        finding
        for finding, count in evidence.counts.items()
        if not known.allows(finding, count)
        and not (update == "new" and is_unrecorded(finding, known))
    ]


def is_unrecorded(finding: Finding, known: Known) -> bool:
    """Whether the baseline has no figure of a finding for the release."""
    return not known.is_of_release or finding not in known.counts


def _known_of(contract: str, evidence: Evidence, known: Known) -> Number | None:
    whole = known.counts.get(Finding(contract, evidence.violation.bound))
    if whole is not None:
        return whole
    parts = [min(count, known.counts.get(each, 0)) for each, count in evidence.counts.items()]
    return sum(parts) or None


def _verdict(
    record: ContractRecord,
    broken: Sequence[Violation],
    known: Sequence[Violation],
    covered: set[Finding],
) -> Verdict:
    seen = record.observed
    assert seen is not None
    name, verdict = record.unit, record.verdict
    return replace(
        verdict,
        violations=tuple(broken),
        known=tuple(known),
        known_sites=_covered(
            (site_finding(name, site) for site in seen.break_sites), covered, verdict.excused_sites
        ),
        known_recompiles=_covered(
            (event_finding(name, event) for event in seen.recompile_events),
            covered,
            verdict.excused_recompiles,
        ),
        known_fallbacks=_covered(
            (fallback_finding(name, each) for each in seen.fallbacks),
            covered,
            verdict.excused_fallbacks,
        ),
    )


def _covered(
    found: Iterable[Finding], covered: set[Finding], excused: Sequence[int]
) -> tuple[int, ...]:
    return tuple(
        index for index, finding in enumerate(found) if finding in covered and index not in excused
    )
