"""What a baseline holds, what an update changed, and what is better, in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from pytest_compilecheck.baseline.excuse import Improvement, improvements
from pytest_compilecheck.baseline.held import has_new, packages_of
from pytest_compilecheck.baseline.known import Baseline, Recorded
from pytest_compilecheck.baseline.modes import Update
from pytest_compilecheck.baseline.release import minor_release
from pytest_compilecheck.baseline.update import Changes
from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.judge.run_report import RunReport
from pytest_compilecheck.report.finding_text import finding_text
from pytest_compilecheck.report.incomplete import incomplete_report_text
from pytest_compilecheck.report.summary_line import headline
from pytest_compilecheck.report.wording import number, plural, printable, sentence

_SHOWN = 20


def improvement_text(better: Improvement) -> str:
    """What is better than it is known to be, without its contract."""
    seen = "gone" if better.seen is None else f"{number(better.seen)} seen"
    if better.seen is not None and not better.needed:
        seen += ", which the bound allows: no entry is needed"
    return f"{finding_text(better.finding)}: {number(better.known)} known, {seen}"


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
    head = f"baseline {printable(path)}: {', '.join(figures) or 'nothing to change'}"
    lines = [
        f"{what}: {printable(finding.contract)}: {finding_text(finding)}"
        for what, each in groups.items()
        for finding in sorted(each)
    ]
    more = [f"and {plural(len(lines) - _SHOWN, 'more finding')}"] if len(lines) > _SHOWN else []
    return [head, *lines[:_SHOWN], *more]


def new_lines(records: Sequence[ContractRecord], torch: str) -> list[str]:
    """What of a report is new or worse than its baseline: a figure, then a line a contract."""
    broken = [record for record in records if has_new(record)]
    head = (
        f"torch {printable(torch)}: {plural(len(records), 'contract')}, {len(broken)} with"
        f" something new, {_held(records)} held by the baseline"
    )
    return [head, *(f"new: {printable(each.name)}: {headline(each)}" for each in broken)]


def held_lines(records: Sequence[ContractRecord]) -> list[str]:
    """How many contracts of a run would fail without the baseline, if there are any."""
    count = _held(records)
    return [f"{plural(count, 'contract')} held by the baseline only"] if count else []


def _held(records: Iterable[ContractRecord]) -> int:
    return sum(bool(record.verdict.known and record.verdict.holds) for record in records)


def unclear_lines(report: RunReport) -> list[str]:
    """What of a report cannot be held, because it was not measured to its end."""
    failed = [each for each in report.contracts if each.outcome in ("failed", "error")]
    unclear = [each for each in failed if not each.verdict.violations]
    lines = [
        f"not measured: {printable(each.name)}: {sentence(each.error or 'error')}"
        for each in unclear
    ]
    if not report.complete:
        lines.append(incomplete_report_text(report))
    return lines


def standing(
    baseline: Baseline,
    records: Sequence[ContractRecord],
    torch: str,
    gone: Iterable[str],
    command: Callable[[Update], str],
) -> list[str]:
    """What is to be said of a run that was held to a baseline and does not write it.

    `torch` is the version that records are of which name none, `gone` are contracts that there are
    no more, `command` gives the command for an update.
    """
    releases = [minor_release(record.torch or torch) for record in records]
    known = [baseline.known(each.unit, of) for each, of in zip(records, releases, strict=True)]
    better = [
        f"{record.name}: {improvement_text(each)}"
        for record, what in zip(records, known, strict=True)
        for each in improvements(record, what)
    ]
    better += [f"{contract}: there is no such contract any more" for contract in gone]
    lines = [f"better than the baseline: {text}" for text in better[:_SHOWN]]
    if len(better) > _SHOWN:
        lines.append(f"and {plural(len(better) - _SHOWN, 'more finding')} better than the baseline")
    if better:
        lines.append(f"hold it: {command('tighten')}")
    others = [each for each in known if each.used and not each.is_of_release]
    if others:
        lines.append(
            f"the baseline has no figures of torch {others[0].release} for"
            f" {plural(len(others), 'contract')}: held to those of {others[0].used};"
            f" record them: {command('new')}"
        )
    if better or any(map(has_new, records)):
        lines += _versions(baseline.recorded.get(minor_release(torch)), records)
    return list(map(printable, lines))


def _versions(recorded: Recorded | None, records: Iterable[ContractRecord]) -> list[str]:
    """The packages that are of other versions than when the baseline was recorded."""
    before = recorded.packages if recorded else {}
    changed = [
        f"{name} {before[name]} then, {version} now"
        for name, version in packages_of(records).items()
        if name in before and before[name] != version
    ]
    return (
        [f"the baseline was recorded with other versions: {', '.join(changed)}"] if changed else []
    )
