"""What the exceptions of contracts excuse, and why, also where the contracts pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from pytest_compilecheck.judge.accepted import Accepted, Excused, accepted, excused
from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.report.grid import Column
from pytest_compilecheck.report.ranges import calls_text, number_ranges
from pytest_compilecheck.report.wording import plural, sentence

COLUMNS: Final = (
    Column("exception", "left"),
    Column("because", "left"),
    Column("excused", "left"),
    Column("met in calls", "left"),
    Column("contract", "left"),
)
OVERLAP: Final = (
    "Several exceptions fit the same thing here: it stands with each of them, and counts once in"
    " the table of contracts."
)


def accepted_rows(records: Iterable[ContractRecord]) -> list[tuple[str, ...]]:
    """A row under `COLUMNS` for each exception that excused something."""
    return [
        (
            sentence(each.rule),
            sentence(each.because),
            _how_often(each.excused),
            number_ranges(each.excused.calls),
            record.name,
        )
        for record in records
        for each in accepted(record)
    ]


def accepted_lines(record: ContractRecord) -> Iterator[str]:
    """ "allowed in calls 1, 3: test_a.py::test: automatic dynamic, because ..."."""
    for each in accepted(record):
        why = f"{sentence(each.rule)}, because {sentence(each.because)}"
        yield f"allowed{_where(each)}: {sentence(record.name)}: {why}"


def overlap(records: Iterable[ContractRecord]) -> bool:
    """Whether the rows of a contract tell one thing more than once."""
    several = (each for each in records if sum(bool(r.matched) for r in each.verdict.allowed) > 1)
    return any(
        _total(row.excused for row in accepted(each)) > _total([excused(each)]) for each in several
    )


def _total(several: Iterable[Excused]) -> int:
    return sum(len(each.sites) + each.recompiles + len(each.fallbacks) for each in several)


def _where(each: Accepted) -> str:
    if each.excused.sites:  # which are of all calls from the first one on
        return f" {plural(len(each.excused.sites), 'graph break')}"
    return f" in {calls_text(each.excused.calls)}" if each.excused.calls else ""


def _how_often(found: Excused) -> str:
    counts = (
        (len(found.sites), "graph break"),
        (found.recompiles, "recompile"),
        (len(found.fallbacks), "fallback"),
    )
    return ", ".join(plural(count, noun) for count, noun in counts if count)
