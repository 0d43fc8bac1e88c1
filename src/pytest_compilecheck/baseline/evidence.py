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

# Under these the other figures speak of something else than the contract.
_VOID: Final = ("nothing_compiled", "uncalled")
_RECOMPILES: Final = ("max_recompiles", "max_recompiles_after_warmup")
# The kind of the findings behind a bound, where it is not the bound itself.
_KINDS: Final = {"max_graph_breaks": "graph_break", **dict.fromkeys(_RECOMPILES, "recompile")}
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
    figure that is unknown (also by breaks from before the watch), one that differs from run to run
    (seconds, memory), and one of 0 or less, where "at least" 0 would hold nothing.
    """
    bound, observed = violation.bound, violation.observed
    if observed is None or observed <= 0 or record.observed is None:
        return None
    if bound == "max_graph_breaks" and record.observed.earlier_breaks:
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
        counts[Finding(record.unit, bound)] = _rounded(observed)
    return Evidence(violation, counts) if counts else None


def violated(record: ContractRecord) -> list[Evidence]:
    """The evidence of all bounds that do not hold, whether the baseline knows of it or not."""
    violations = (*record.verdict.violations, *record.verdict.known)
    found = (evidence_of(record, violation) for violation in violations)
    return [each for each in found if each is not None]


def untold(record: ContractRecord) -> set[str]:
    """The kinds of findings of which a record does not tell what is left.

    A bound that does not hold without evidence has not got better: its figure may be unknown.
    """
    violations = record.verdict.violations
    bounds = {each.bound for each in violations if evidence_of(record, each) is None}
    kinds = {_KINDS.get(bound, bound) for bound in bounds}
    return kinds | bounds


def may_be_known(record: ContractRecord) -> bool:
    """Whether a baseline holds a record: it ran to its end, and no xfail mark holds it."""
    return record.measured and record.outcome != "xfailed"


def is_certain(record: ContractRecord) -> bool:
    """Whether a record tells a baseline how it stands: nothing makes its figures doubtful."""
    seen = record.observed
    return (
        seen is not None
        and may_be_known(record)
        and not seen.problems
        and all(entry.kind != "error" for entry in seen.timeline)
        and not any(each.bound in _VOID for each in record.verdict.violations)
    )


def is_worse(finding: Finding, count: Number, known: Number) -> bool:
    """Whether a figure is worse than the one that is known."""
    return count < known if finding.kind.startswith("min_") else count > known


def _rounded(figure: Number) -> Number:
    """A figure without needless digits; a small one keeps as many that tell something."""
    return round(figure, _DIGITS) if figure >= 1 else float(f"{figure:.{_DIGITS}g}")


def _count(counts: dict[Finding, Number], found: Iterable[Finding]) -> None:
    for finding in found:
        counts[finding] = counts.get(finding, 0) + 1
