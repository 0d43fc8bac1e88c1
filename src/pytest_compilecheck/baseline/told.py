"""Findings and changes of a baseline in words."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_compilecheck.baseline.excuse import Improvement
from pytest_compilecheck.baseline.known import Recorded
from pytest_compilecheck.baseline.update import Changes
from pytest_compilecheck.judge.findings import Finding
from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.report.wording import number, plural, printable, sentence

_SHOWN = 20


def finding_text(finding: Finding) -> str:
    """A finding without its contract: "graph break GB0170 in forward, model.py"."""
    what = (
        f"{finding.kind.replace('_', ' ')} {sentence(finding.cause)}"
        if finding.cause
        else (finding.kind)
    )
    where = f" in {printable(finding.function)}" if finding.function else ""
    return f"{what}{where}, {printable(finding.file)}" if finding.file else f"{what}{where}"


def improvement_text(better: Improvement) -> str:
    """What is better than it is known to be."""
    seen = "gone" if better.seen is None else f"{number(better.seen)} seen"
    contract = printable(better.finding.contract)
    return f"{contract}: {finding_text(better.finding)}: {number(better.known)} known, {seen}"


def changes_lines(changes: Changes, path: str) -> list[str]:
    """What an update did: figures first, then each finding."""
    groups = {
        "added": changes.added,
        "lowered": changes.lowered,
        "raised": changes.raised,
        "dropped": changes.dropped,
    }
    figures = [f"{len(each)} {what}" for what, each in groups.items() if each]
    if changes.released:
        figures.append("figures of this release of torch recorded")
    head = f"baseline {path}: {', '.join(figures) or 'nothing to change'}"
    lines = [
        f"{what}: {printable(finding.contract)}: {finding_text(finding)}"
        for what, each in groups.items()
        for finding in each
    ]
    more = [f"and {plural(len(lines) - _SHOWN, 'more finding')}"] if len(lines) > _SHOWN else []
    return [head, *lines[:_SHOWN], *more]


def versions_lines(recorded: Recorded | None, records: Iterable[ContractRecord]) -> list[str]:
    """The packages that are of other versions than when the baseline was recorded."""
    now = {name: version for record in records for name, version in record.packages.items()}
    before = recorded.packages if recorded else {}
    changed = [
        f"{name} {before[name]} then, {version} now"
        for name, version in sorted(now.items())
        if name in before and before[name] != version
    ]
    return (
        [f"the baseline was recorded with other versions: {', '.join(changed)}"] if changed else []
    )
