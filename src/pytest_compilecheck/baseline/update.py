"""Writes what a run saw into a baseline: what is new, what is better, or all of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field, replace

from pytest_compilecheck.baseline.evidence import is_certain, is_worse, untold
from pytest_compilecheck.baseline.excuse import is_unrecorded, seen_counts
from pytest_compilecheck.baseline.known import Baseline, Entry, Recorded
from pytest_compilecheck.baseline.modes import Update
from pytest_compilecheck.judge.findings import Finding
from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.judge.verdict import Number


@dataclass(slots=True)
class Changes:
    """What an update changed: findings that came into the baseline, got lower, higher, or left."""

    added: list[Finding] = field(default_factory=list)
    lowered: list[Finding] = field(default_factory=list)
    raised: list[Finding] = field(default_factory=list)
    dropped: list[Finding] = field(default_factory=list)
    released: bool = False  # figures of a further release of torch were added

    def take(self, other: Changes) -> None:
        """Add what another update changed."""
        self.added += other.added
        self.lowered += other.lowered
        self.raised += other.raised
        self.dropped += other.dropped
        self.released |= other.released

    def __bool__(self) -> bool:
        return bool(self.added or self.lowered or self.raised or self.dropped or self.released)


def updated(
    baseline: Baseline,
    records: Iterable[ContractRecord],
    update: Update,
    *,
    release: str,
    recorded: Recorded,
    gone: Collection[str] = (),
) -> tuple[Baseline, Changes]:
    """The baseline after a run, and what changed. Reasons (`because`) are kept.

    Args:
        baseline: as it is in the file.
        records: of the run; those that do not tell how they stand leave their entries alone.
        update: "new" adds, "tighten" lowers and drops, "all" does both and raises.
        release: minor release of torch that the run was made with.
        recorded: its versions.
        gone: contracts that there are no more; "new" leaves them.
    """
    changes = Changes()
    contracts = dict(baseline.contracts)
    for record in records:
        if not is_certain(record):
            continue
        entries = _contract(baseline, record, update, release, changes)
        contracts.pop(record.unit, None)
        if entries:
            contracts[record.unit] = entries
    for contract in gone if update != "new" else ():
        changes.dropped += contracts.pop(contract, {})
    versions = dict(baseline.recorded)
    if changes:
        before = versions.get(release)
        packages = {**(before.packages if before else {}), **recorded.packages}
        versions[release] = replace(recorded, packages=packages)
    return Baseline(contracts, versions), changes


def _contract(
    baseline: Baseline,
    record: ContractRecord,
    update: Update,
    release: str,
    changes: Changes,
) -> dict[Finding, Entry]:
    """The entries of one contract after the update."""
    before = baseline.contracts.get(record.unit, {})
    known = baseline.known(record.unit, release)
    seen, unclear = seen_counts(record), untold(record)
    after: dict[Finding, Number] = {}
    for finding in {**before, **seen}:
        was = known.counts.get(finding, 0)
        now = seen.get(finding, was if finding.kind in unclear else 0)
        if update == "new":
            after[finding] = now if is_unrecorded(finding, known) else was
        elif update == "all":
            after[finding] = now
        else:
            after[finding] = now if was and not (now and is_worse(finding, now, was)) else was
        # The first figure for a release is neither better nor worse than that of another one.
        if known.is_of_release or not was or update == "tighten":
            _note(changes, finding, was, after[finding])
    entries = {}
    touched = any(after[finding] != known.counts.get(finding, 0) for finding in after)
    touched |= update == "new" and bool(before) and not known.is_of_release
    for finding, count in after.items():
        entry = before.get(finding, Entry(finding, {}))
        # Figures of all findings together, so that those that are gone are known to be.
        counts = {**entry.counts, release: count} if touched else dict(entry.counts)
        if any(counts.values()):
            entries[finding] = replace(entry, counts=counts)
    changes.released |= touched and bool(before) and not known.is_of_release
    return entries


def _note(changes: Changes, finding: Finding, was: Number, now: Number) -> None:
    if was == now:
        return
    if not was:
        changes.added.append(finding)
    elif not now:
        changes.dropped.append(finding)
    else:
        (changes.raised if is_worse(finding, now, was) else changes.lowered).append(finding)


Transform = Callable[[Baseline], tuple[Baseline, Changes]]
"""An update that is still to be applied: to the baseline as it is in the file by then."""
