"""What stands behind the violated bounds of a contract, as a baseline can know it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from pytest_compilecheck.judge.counted import (
    counted_fallbacks,
    counted_recompiles,
    counted_sites,
)
from pytest_compilecheck.judge.findings import (
    Finding,
    fallback_finding,
    rebuilt,
    site_finding,
)
from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.judge.verdict import NOISY_BOUNDS, Number, Violation

_RECOMPILES: Final = ("max_recompiles", "max_recompiles_after_warmup")
_DIGITS: Final = 4


@dataclass(frozen=True, slots=True)
class Evidence:
    """One violated bound, with how often each of its findings was met.

    Beside the places there may be a finding without a place: the figure of the bound itself, where
    the places do not say it all (two functions rebuilt in one call are one recompile).
    """

    violation: Violation
    counts: dict[Finding, Number]


def evidence_of(record: ContractRecord, violation: Violation) -> Evidence | None:
    """The evidence of a violation; None for what a baseline can never know.

    That is what makes all figures uncertain (errors, nothing compiled), results that are wrong, a
    figure that is unknown, and one that differs from run to run (seconds, memory).
    """
    bound, observed = violation.bound, violation.observed
    if observed is None or record.observed is None:
        return None
    counts: dict[Finding, Number] = {}
    if bound == "max_graph_breaks":
        _count(counts, (site_finding(record.unit, site) for site in counted_sites(record)))
    elif bound == "fallback":
        found = (each for each in counted_fallbacks(record) if each.kind != "nothing_compiled")
        _count(counts, (fallback_finding(record.unit, each) for each in found))
    elif bound in _RECOMPILES:
        first = record.contract.get("warmup_calls") or 0 if bound != "max_recompiles" else 0
        events = (event for event in counted_recompiles(record) if event.call >= first)
        counts |= rebuilt(record.unit, events)
        counts[Finding(record.unit, bound)] = observed
    elif bound == "dynamic_dims":
        counts[Finding(record.unit, bound, cause=violation.subject)] = observed
    elif bound.startswith(("max_", "min_")) and bound not in NOISY_BOUNDS:
        counts[Finding(record.unit, bound)] = round(observed, _DIGITS)
    return Evidence(violation, counts) if counts else None


def violated(record: ContractRecord) -> list[Evidence]:
    """The evidence of all bounds that do not hold, whether the baseline knows of it or not."""
    violations = (*record.verdict.violations, *record.verdict.known)
    found = (evidence_of(record, violation) for violation in violations)
    return [each for each in found if each is not None]


def may_be_known(record: ContractRecord) -> bool:
    """Whether a baseline holds a record: it ran to its end, and no xfail mark holds it."""
    return record.measured and record.outcome in ("passed", "warned", "failed")


def is_certain(record: ContractRecord) -> bool:
    """Whether a record tells a baseline how it stands: nothing makes its figures doubtful."""
    seen = record.observed
    return (
        seen is not None
        and may_be_known(record)
        and not seen.problems
        and all(entry.kind != "error" for entry in seen.timeline)
        and not any(each.bound == "nothing_compiled" for each in record.verdict.violations)
    )


def is_worse(finding: Finding, count: Number, known: Number) -> bool:
    """Whether a figure is worse than the one that is known."""
    return count < known if finding.kind.startswith("min_") else count > known


def _count(counts: dict[Finding, Number], found: Iterable[Finding]) -> None:
    for finding in found:
        counts[finding] = counts.get(finding, 0) + 1
