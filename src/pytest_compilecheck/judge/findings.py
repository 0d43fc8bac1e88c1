"""What counts against a contract, by names that outlive a run: no lines, no paths of a machine."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from pytest_compilecheck.judge.counted import (
    counted_fallbacks,
    counted_recompiles,
    counted_sites,
)
from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.observe.recompile import RecompileEvent, count_recompiles

FindingKind = Literal["graph_break", "recompile", "fallback"]

# What stands before a package in the path of its file: where the machine has its installed code.
_INSTALLED = re.compile(r"^.*/(?:(?:site|dist)-packages|lib/python3\.\d+t?)/")


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One kind of thing that counts against a contract, the same in every run that meets it.

    `contract` is the record's `unit`. `file` is relative to the rootdir, or to the place of
    installed packages; `file` and `function` are "" where torch does not tell them. `cause` is the
    GB id of a graph break (its reason where it has none), what changed for a recompile, the kind
    of a fallback.
    """

    contract: str
    kind: FindingKind
    file: str
    function: str
    cause: str


def findings(record: ContractRecord) -> Counter[Finding]:
    """What counts under the contract, and how often; what it excuses is left out.

    Break sites and fallbacks count one each, recompiles as `count_recompiles` counts those of one
    finding: functions that are rebuilt in the same call are findings of their own, so that their
    sum may be more than the record's `recompiles`.
    """
    found: Counter[Finding] = Counter()
    for site in counted_sites(record):
        cause = site.gb_id or site.reason
        found[_finding(record, "graph_break", site.file, site.function, cause)] += 1
    rebuilt: defaultdict[Finding, list[RecompileEvent]] = defaultdict(list)
    for event in counted_recompiles(record):
        cause = event.cause
        rebuilt[_finding(record, "recompile", event.file, event.function, cause)].append(event)
    found.update({finding: count_recompiles(events) for finding, events in rebuilt.items()})
    for fallback in counted_fallbacks(record):
        place = fallback.file or "", fallback.function or ""
        found[_finding(record, "fallback", *place, fallback.kind)] += 1
    return found


def findings_of(records: Iterable[ContractRecord]) -> Counter[Finding]:
    """The findings of several contracts."""
    found: Counter[Finding] = Counter()
    for record in records:
        found.update(findings(record))
    return found


def portable(file: str) -> str:
    """A file as every machine names it: that of an installed package without what is before it."""
    return _INSTALLED.sub("", file)


def _finding(
    record: ContractRecord, kind: FindingKind, file: str, function: str, cause: str
) -> Finding:
    return Finding(record.unit, kind, portable(file), function, cause)
