"""One contract as the page shows it."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from markupsafe import Markup

from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.report.charts.chart import Chart
from pytest_compilecheck.report.charts.of_record import timeline_chart
from pytest_compilecheck.report.failure import (
    evidence_sections,
    excused_section,
    own_error_section,
    reason_section,
    rerun_command,
    violated_section,
)
from pytest_compilecheck.report.html.lines import html_lines
from pytest_compilecheck.report.html.policies import PoliciesView, policies_view
from pytest_compilecheck.report.html.table import Table
from pytest_compilecheck.report.parts.accept import acceptance_section
from pytest_compilecheck.report.parts.fallbacks import fallbacks_section
from pytest_compilecheck.report.parts.recompiles import recompiles_section
from pytest_compilecheck.report.parts.sites import sites_section
from pytest_compilecheck.report.parts.timeline import timeline_columns
from pytest_compilecheck.report.style import Span, line, separated
from pytest_compilecheck.report.summary_line import headline
from pytest_compilecheck.report.table import COLUMNS, figures_of
from pytest_compilecheck.report.wording import sentence

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractView:
    """Texts, and sections that are HTML already. A fold has a title and what it holds."""

    name: str
    outcome: str
    headline: str
    verdict: Markup
    evidence: Markup
    folds: Sequence[tuple[str, Markup]]
    timeline: Table | None
    chart: Chart | None
    policies: PoliciesView | None
    rerun: str


SUMMARY: Final = (COLUMNS[0], COLUMNS[-1], *COLUMNS[1:-1])
"""Columns of the table of all contracts: a narrow screen shows the first ones."""


def summary_row(record: ContractRecord) -> tuple[str, ...]:
    """The cells of a contract in that table."""
    outcome, *figures = figures_of(record)
    return (outcome, record.name, *figures)


def contract_view(record: ContractRecord, *, root: str) -> ContractView:
    """All that there is to say of a contract; source is read below `root`."""
    return ContractView(
        name=record.name,
        outcome=record.outcome,
        headline=headline(record),
        verdict=_verdict(record),
        evidence=html_lines(separated(evidence_sections(record, root=root, verbose=True))),
        folds=[(title, told) for title, told in _folds(record, root) if told],
        timeline=_timeline(record),
        chart=timeline_chart(record),
        policies=None if record.policies is None else policies_view(record.policies),
        rerun=rerun_command(record.id),
    )


def _verdict(record: ContractRecord) -> Markup:
    sections = [
        violated_section(record),
        reason_section(record),
        own_error_section(record),
        acceptance_section(record, record.verdict.violations),
        excused_section(record),
        [line(Span(sentence(leak), "bad")) for leak in record.leaks],
        [line(f"trace: {sentence(note)}") for note in record.contract.get("trace_notes", ())],
    ]
    return html_lines(separated(sections))


def _folds(record: ContractRecord, root: str) -> Iterable[tuple[str, Markup]]:
    verdict = record.verdict
    known = (verdict.known_sites, verdict.known_recompiles, verdict.known_fallbacks)
    yield "What the baseline knows", _told(record, root, *known)
    excused = (verdict.excused_sites, verdict.excused_recompiles, verdict.excused_fallbacks)
    yield "What does not count", _told(record, root, *excused)
    given = {name: value for name, value in record.contract.items() if value not in (None, [], {})}
    text = json.dumps(given, indent=1, ensure_ascii=False)
    yield "The contract", html_lines(line(Span(row, "row")) for row in text.splitlines())


def _told(
    record: ContractRecord,
    root: str,
    sites: Collection[int],
    recompiles: Collection[int],
    fallbacks: Collection[int],
) -> Markup:
    """What was seen and has these indexes."""
    seen = record.observed
    if seen is None:
        return Markup()
    rebuilt = _chosen(seen.recompile_events, recompiles)
    sections = [
        sites_section(_chosen(seen.break_sites, sites), root=root, verbose=True),
        recompiles_section(rebuilt, seen.timeline, verbose=True),
        fallbacks_section(_chosen(seen.fallbacks, fallbacks), seen),
    ]
    return html_lines(separated(sections))


def _chosen(found: Sequence[T], indexes: Collection[int]) -> list[T]:
    return [each for index, each in enumerate(found) if index in indexes]


def _timeline(record: ContractRecord) -> Table | None:
    seen = record.observed
    if seen is None or not seen.timeline:
        return None
    columns = timeline_columns(seen.timeline, seen.recompile_events)
    return Table.of_columns(f"Calls of {record.name}", columns)
