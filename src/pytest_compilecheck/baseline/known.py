"""What a baseline knows: entries by contract, each with a figure for each release of torch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from pytest_compilecheck.baseline.evidence import is_worse
from pytest_compilecheck.baseline.release import nearest
from pytest_compilecheck.judge.findings import Finding
from pytest_compilecheck.judge.verdict import Number


@dataclass(frozen=True, slots=True)
class Entry:
    """One finding that is known.

    `counts` has a figure for each minor release of torch ("2.13"): 0 where the finding is gone. In
    a release for which the contract has figures, an entry without one is gone too.
    """

    finding: Finding
    counts: Mapping[str, Number]
    because: str | None = None


@dataclass(frozen=True, slots=True)
class Recorded:
    """The versions under which figures were recorded: torch, and the packages of the models."""

    torch: str
    packages: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Baseline:
    """All entries, by the contract that they are of, and by finding within it."""

    contracts: Mapping[str, Mapping[Finding, Entry]] = field(default_factory=dict)
    recorded: Mapping[str, Recorded] = field(default_factory=dict)

    @classmethod
    def of(cls, entries: Iterable[Entry], recorded: Mapping[str, Recorded]) -> Baseline:
        """Entries in any order; those that are gone in every release are left out.

        Of two for one finding, as a merge may leave them, the stricter holds.
        """
        contracts: dict[str, dict[Finding, Entry]] = {}
        for entry in entries:
            found = contracts.setdefault(entry.finding.contract, {})
            twin = found.get(entry.finding)
            found[entry.finding] = entry if twin is None else _stricter(twin, entry)
        left = {name: _not_gone(found) for name, found in contracts.items()}
        return cls({name: found for name, found in left.items() if found}, recorded)

    def known(self, contract: str, release: str) -> Known:
        """What is known of a contract under a minor release of torch."""
        entries = self.contracts.get(contract, {})
        recorded = {each for entry in entries.values() for each in entry.counts}
        used = nearest(release, recorded)
        counts = {f: entry.counts.get(used or "", 0) for f, entry in entries.items()}
        return Known({f: n for f, n in counts.items() if n}, release, used)


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of one contract: figures above 0, of the release `used`.

    It is another than `release` where the contract has no figures of that.
    """

    counts: Mapping[Finding, Number]
    release: str
    used: str | None

    @property
    def is_of_release(self) -> bool:
        """Whether the figures were recorded under the release itself."""
        return self.used == self.release

    def allows(self, finding: Finding, count: Number) -> bool:
        """Whether so much of a finding is known."""
        known = self.counts.get(finding)
        return known is not None and not is_worse(finding, count, known)


def _not_gone(entries: Mapping[Finding, Entry]) -> dict[Finding, Entry]:
    return {finding: entry for finding, entry in entries.items() if any(entry.counts.values())}


def _stricter(first: Entry, second: Entry) -> Entry:
    counts = dict(first.counts)
    for release, count in second.counts.items():
        known = counts.get(release)
        # A 0 says that it is gone, also of a bound from below: nothing is stricter.
        if known is None or not count or (known and is_worse(first.finding, known, count)):
            counts[release] = count
    return Entry(first.finding, counts, first.because or second.because)
