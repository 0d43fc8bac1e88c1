"""Holds a whole report against a baseline: without torch, after the run, for merged shards."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from pytest_compilecheck.baseline.evidence import may_be_known
from pytest_compilecheck.baseline.excuse import excused
from pytest_compilecheck.baseline.known import Baseline, Recorded
from pytest_compilecheck.baseline.modes import Update
from pytest_compilecheck.baseline.release import minor_release
from pytest_compilecheck.baseline.update import Changes, updated
from pytest_compilecheck.judge.record import ContractRecord, ids_of, is_within, under_torch
from pytest_compilecheck.judge.run_report import RunReport


def held(report: RunReport, baseline: Baseline) -> list[ContractRecord]:
    """The records of a report, judged anew by what a baseline knows.

    What the run itself was excused for, by whatever baseline it had, is forgotten.
    """
    return [
        excused(record, baseline.known(record.unit, minor_release(_torch(record, report))))
        if may_be_known(record)
        else record
        for record in map(_unexcused, report.contracts)
    ]


def updated_from(baseline: Baseline, report: RunReport, update: Update) -> tuple[Baseline, Changes]:
    """The baseline after a report, and what changed; a merged one may be of several releases."""
    changes = Changes()
    for torch in sorted({_torch(record, report) for record in report.contracts}):
        records = [each for each in report.contracts if _torch(each, report) == torch]
        baseline, found = updated(
            baseline,
            map(_unexcused, records),
            update,
            release=minor_release(torch),
            recorded=Recorded(torch, packages_of(records)),
            gone=gone(baseline, report),
        )
        changes.take(found)
    return baseline, changes


def packages_of(records: Iterable[ContractRecord]) -> dict[str, str]:
    """Versions of the packages that the records of a run tell of."""
    return dict(sorted((name, v) for record in records for name, v in record.packages.items()))


def gone(baseline: Baseline, report: RunReport) -> list[str]:
    """Contracts of a baseline that there are no more.

    Those of files of which the report has a contract, where the call named the whole file; of other
    files it is not known whether they were looked into.
    """
    seen = {record.unit for record in report.contracts} | {each.id for each in report.contracts}
    unclear = {*report.missing, *report.left_out, *report.unwatched}
    known = seen | unclear
    for version in report.torch.split(", "):  # in a report of several, each id has its own behind
        known |= {each.removesuffix(under_torch("", version)) for each in unclear}
    files = {name.partition("::")[0] for name in seen}
    return [
        contract
        for contract in baseline.contracts
        if any(is_within(contract, path) for path in report.paths)
        and contract.partition("::")[0] in files
        and not known.intersection(ids_of(contract))
    ]


def has_new(record: ContractRecord) -> bool:
    """Whether a record breaks its contract by more than is known; a mark holds what may fail."""
    return record.outcome != "xfailed" and not record.verdict.holds


def _torch(record: ContractRecord, report: RunReport) -> str:
    return record.torch or report.torch


def _unexcused(record: ContractRecord) -> ContractRecord:
    verdict = record.verdict
    violations = [
        replace(each, known=None)
        for each in (*verdict.violations, *verdict.known)
        if each.bound != "stale_baseline"
    ]
    return replace(
        record,
        verdict=replace(
            verdict,
            violations=tuple(violations),
            known=(),
            known_sites=(),
            known_recompiles=(),
            known_fallbacks=(),
        ),
    )
