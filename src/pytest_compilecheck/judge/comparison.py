"""Two reports side by side: what got better, worse, appeared and went. Plain values."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from pytest_compilecheck import codec
from pytest_compilecheck.judge.counted import counted_sites
from pytest_compilecheck.judge.findings import Finding, findings, site_finding
from pytest_compilecheck.judge.moved import Moved, moved
from pytest_compilecheck.judge.outcome import BROKEN, FAILING, HELD, Outcome
from pytest_compilecheck.judge.policy_changes import PolicyChanges, policy_changes
from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.judge.run_report import RunReport
from pytest_compilecheck.judge.verdict import Number


@dataclass(frozen=True, slots=True, order=True)
class Change:
    """One finding that is there more or less often.

    `before` and `after` are how often each run has it: break sites, recompiles (those of one call
    in one function count once, however many pieces were rebuilt), or fallbacks, without what the
    contract excuses; 0 where a run has none. What `moved` tells is left out.
    """

    finding: Finding
    before: int
    after: int


FigureName = Literal[
    "graphs", "captured_ops", "hit_rate", "graph_launches_per_call", "fragile_guards"
]


@dataclass(frozen=True, slots=True, order=True)
class Figure:
    """One figure of a contract that is another; None where it is not known.

    `graphs` were compiled in all, `captured_ops` are the operations in those that are no rebuilds,
    `hit_rate` is the share of calls that are hits, from 0 to 1, by the trace's counts,
    `graph_launches_per_call` the most graphs that one warm call ran, `fragile_guards` how many
    guards are likely to fail.
    """

    name: FigureName
    before: Number | None
    after: Number | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractDiff:
    """What differs in one contract; `before` or `after` is None where it is in one report only.

    `contract` is the name by which the two are one: the id of the test, " (part)" for a block that
    it watches, and, of a record in a report that `merge --mixed-torch` made of several releases,
    " [torch 2.13.0]". A contract of another name is another contract. `before` and `after` are
    outcomes, `changes` findings that are there more or less often, `moved` breaks that are in both
    runs under other names, `figures` those that differ, which make nothing better or worse.
    Findings, figures and shape policies are compared only where both runs measured the contract to
    its end; `policies` is None where these do not differ.
    """

    contract: str
    before: Outcome | None
    after: Outcome | None
    changes: tuple[Change, ...] = ()
    moved: tuple[Moved, ...] = ()
    figures: tuple[Figure, ...] = ()
    policies: PolicyChanges | None = None

    encoded: ClassVar[tuple[str, ...]] = ("worse", "better")

    @property
    def worse(self) -> bool:
        """Whether it held and does not, has a finding more, or fails and was not held before.

        Or where a shape policy ran right, and does not.
        """
        if self.before in (None, "skipped"):
            return self.after in FAILING
        broke = self.before in HELD and self.after in BROKEN
        policies = self.policies is not None and self.policies.worse
        return broke or policies or any(c.after > c.before for c in self.changes)

    @property
    def better(self) -> bool:
        """Whether it is not worse, and holds now, has a finding less, or a policy that runs now."""
        mended = self.before in BROKEN and self.after in HELD
        less = any(change.after < change.before for change in self.changes)
        policies = self.policies is not None and self.policies.better
        return not self.worse and (mended or less or policies)

    @property
    def costlier(self) -> bool:
        """Whether a shape policy costs more, or another one is the cheapest."""
        return self.policies is not None and self.policies.costlier

    @property
    def captures_more(self) -> bool:
        """Whether it breaks more often, and more is captured: as where torch traces further."""
        breaks = sum(
            change.after - change.before
            for change in self.changes
            if change.finding.kind == "graph_break"
        )
        return breaks > 0 and any(
            figure.name == "captured_ops" and (figure.after or 0) > (figure.before or 0)
            for figure in self.figures
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportDiff:
    """What differs between two reports. `contracts` are those that differ, sorted by name.

    `torch_before` and `torch_after` are the versions, `same` counts contracts that do not differ.
    A report that is not complete may lack contracts that are still there. `reasons` are torch's
    words for the GB ids of all breaks. Where `in_common` is 0, all are told as gone or new: the
    reports are of other tests, or one of them was merged from several releases of torch.
    """

    torch_before: str
    torch_after: str
    complete_before: bool
    complete_after: bool
    contracts: tuple[ContractDiff, ...]
    same: int
    reasons: Mapping[str, str]

    encoded: ClassVar[tuple[str, ...]] = ("in_common", "worse")

    @property
    def in_common(self) -> int:
        """How many contracts are in both reports, by name."""
        both = (None not in (each.before, each.after) for each in self.contracts)
        return self.same + sum(both)

    @property
    def worse(self) -> bool:
        """Whether any contract is worse."""
        return any(contract.worse for contract in self.contracts)

    def to_dict(self) -> dict[str, Any]:
        """JSON-able form."""
        data: dict[str, Any] = codec.encode(self)
        return data


def compare(before: RunReport, after: RunReport) -> ReportDiff:
    """What differs between two reports."""
    old = {record.name: record for record in before.contracts}
    new = {record.name: record for record in after.contracts}
    reworded = before.torch != after.torch
    every = [
        _compared(name, old.get(name), new.get(name), reworded=reworded)
        for name in sorted(old.keys() | new.keys())
    ]
    differing = tuple(each for each in every if _differs(each))
    return ReportDiff(
        torch_before=before.torch,
        torch_after=after.torch,
        complete_before=before.complete,
        complete_after=after.complete,
        contracts=differing,
        same=len(every) - len(differing),
        reasons=_reasons((*before.contracts, *after.contracts)),
    )


def _reasons(records: Iterable[ContractRecord]) -> dict[str, str]:
    sites = (site for record in records for site in counted_sites(record))
    named = sorted({(site.gb_id, site.reason) for site in sites if site.gb_id})
    return dict(reversed(named))  # of several for one id always the same, whichever comes first


def _differs(each: ContractDiff) -> bool:
    found = each.changes or each.moved or each.figures or each.policies
    return each.before != each.after or bool(found)


def _compared(
    name: str, old: ContractRecord | None, new: ContractRecord | None, *, reworded: bool
) -> ContractDiff:
    before, after = old.outcome if old else None, new.outcome if new else None
    if old is None or new is None or not (old.measured and new.measured):
        return ContractDiff(contract=name, before=before, after=after)
    had, has = findings(old), findings(new)
    found = moved(had - has, has - had, _lines(old), _lines(new), reworded=reworded)
    for pair in found:
        had[pair.before] -= pair.count
        has[pair.after] -= pair.count
    changes = (Change(each, had[each], has[each]) for each in had.keys() | has.keys())
    return ContractDiff(
        contract=name,
        before=before,
        after=after,
        changes=tuple(sorted(change for change in changes if change.before != change.after)),
        moved=tuple(found),
        figures=tuple(_figures(old, new)),
        policies=policy_changes(old.policies, new.policies),
    )


def _lines(record: ContractRecord) -> dict[Finding, frozenset[str]]:
    found: defaultdict[Finding, set[str]] = defaultdict(set)
    for site in counted_sites(record):
        found[site_finding(record.unit, site)].add(site.code)
    return {finding: frozenset(codes) for finding, codes in found.items()}


def _figures(old: ContractRecord, new: ContractRecord) -> Iterator[Figure]:
    had, has = _figures_of(old), _figures_of(new)
    for name in had:
        if had[name] != has[name]:
            yield Figure(name, had[name], has[name])


def _figures_of(record: ContractRecord) -> dict[FigureName, Number | None]:
    seen = record.observed
    assert seen is not None
    fragile, found = seen.fragile_guards, record.figures
    return {
        "graphs": found.graphs,
        "captured_ops": found.captured_ops,
        "hit_rate": found.hit_rate,
        "graph_launches_per_call": found.graph_launches_per_call,
        "fragile_guards": None if fragile is None else len(fragile),
    }


def total(diff: ReportDiff, kind: str) -> Counter[str]:
    """How many findings of a kind are "gone", "new" and "moved", in all contracts."""
    counts: Counter[str] = Counter()
    for contract in diff.contracts:
        counts["moved"] += sum(m.count for m in contract.moved if m.before.kind == kind)
        for change in contract.changes:
            if change.finding.kind == kind:
                more = change.after - change.before
                counts["new" if more > 0 else "gone"] += abs(more)
    return counts
