"""Joins the reports of machines that ran parts of one suite. Plain values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from pytest_compilecheck.contract.installed_files import portable
from pytest_compilecheck.judge.audited import AuditedTest
from pytest_compilecheck.judge.record import ContractRecord, under_torch
from pytest_compilecheck.judge.run_report import RunReport
from pytest_compilecheck.judge.verdict import NOISY_BOUNDS
from pytest_compilecheck.judge.worse import worse

T = TypeVar("T", ContractRecord, AuditedTest)
Named = tuple[str, RunReport]
"""A report and what a message calls it: the name of its file."""

TIMES = ("seconds", "compile_seconds", "backward_seconds", "memory_growth")
"""Keys of an entry that each run measures anew."""


class MergeError(Exception):
    """Reports do not fit together; the message says which, why, and what to do."""


def merged(
    reports: Sequence[Named], *, mixed_torch: bool = False, worst: bool = False
) -> RunReport:
    """The report of one run that did what all of them did.

    A contract that ran in several is one if all saw the same, times apart. What a report left out
    and none ran is missing.

    Args:
        reports: at least one, with names for messages.
        mixed_torch: join reports of several releases of torch; each record then names its own.
        worst: of a contract of which two reports saw different things, take the worse.

    Raises:
        MergeError: the releases differ, or what was seen of a contract.
    """
    versions = _versions(report.torch for _, report in reports)
    if len(versions) > 1 and not mixed_torch:
        of = ", ".join(f"{name} is of torch {report.torch}" for name, report in reports)
        raise MergeError(f"{of}: merge those of one release, or give --mixed-torch")
    if len(versions) > 1:
        reports = [(name, _with_torch(report)) for name, report in reports]
    missing = _missing(reports)
    audited = [(name, report.audit) for name, report in reports if report.audit is not None]
    return RunReport(
        torch=", ".join(versions),
        python=", ".join(_versions(report.python for _, report in reports)),
        complete=not missing and all(report.complete for _, report in reports),
        contracts=_joined(
            [(name, report.contracts) for name, report in reports],
            lambda record: record.name,
            worse if worst else None,
        ),
        audit=_joined(audited, lambda test: test.id, None) if audited else None,
        missing=tuple(sorted(missing)),
        unwatched=tuple({each: None for _, report in reports for each in report.unwatched}),
        paths=tuple(sorted({path for _, report in reports for path in report.paths})),
    )


def _versions(told: Iterable[str]) -> list[str]:
    """All of them, each once; a report that was merged tells several."""
    return sorted({version for each in told for version in each.split(", ")})


def _with_torch(report: RunReport) -> RunReport:
    """The report with the release in each record, and behind the ids of what did not run."""
    if ", " in report.torch:  # it was merged, and has them
        return report
    return replace(
        report,
        contracts=tuple(replace(record, torch=report.torch) for record in report.contracts),
        missing=tuple(_under(report.torch, report.missing)),
        left_out=tuple(_under(report.torch, report.left_out)),
        unwatched=tuple(_under(report.torch, report.unwatched)),
    )


def _under(torch: str, ids: Iterable[str]) -> list[str]:
    return [under_torch(each, torch) for each in ids]


def _missing(reports: Sequence[Named]) -> set[str]:
    chosen: set[str] = set()
    ran: set[str] = set()
    for _, report in reports:
        chosen.update(report.left_out, report.missing)
        ids = {replace(record, part=None).name for record in report.contracts}
        ran |= (ids | set(report.unwatched)) - set(report.missing)
    return chosen - ran


def _joined(
    parts: Iterable[tuple[str, Iterable[T]]],
    key: Callable[[T], str],
    choose: Callable[[T, T], T] | None,
) -> tuple[T, ...]:
    found: dict[str, tuple[str, T]] = {}
    for name, entries in parts:
        for entry in entries:
            first, known = found.setdefault(key(entry), (name, entry))
            if known is entry or _compared(known) == _compared(entry):
                continue
            if choose is None:
                raise MergeError(_DIFFERENT.format(first, name, key(entry)))
            found[key(entry)] = (first, choose(known, entry))
    return tuple(entry for _, (_, entry) in sorted(found.items()))


_DIFFERENT = (
    "{0} and {1} saw different things of {2}: run it in one of them only, or give --worst to take "
    "the worse"
)


def _compared(entry: ContractRecord | AuditedTest) -> Any:
    """What two machines must agree on: all but what each of them measured, and words."""
    return _figures({**entry.to_dict(), "policies": None, "reason": None})


def _figures(data: Any) -> Any:
    """An entry without times, and with files as every machine names them."""
    if isinstance(data, list):
        return [_figures(each) for each in data]
    if not isinstance(data, dict):
        return data
    is_noisy = data.get("bound") in NOISY_BOUNDS
    left_out = (*TIMES, "observed", "message") if is_noisy else TIMES
    return {
        key: portable(value) if key == "file" and value else _figures(value)
        for key, value in data.items()
        if key not in left_out
    }
