"""The Markdown report, for a pull request or the summary of a CI job."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.judge.run_report import Layout, RunReport
from pytest_compilecheck.report.accepted import COLUMNS, OVERLAP, accepted_rows, overlap
from pytest_compilecheck.report.aside import aside_lines
from pytest_compilecheck.report.audit import audit_lines
from pytest_compilecheck.report.ci import gfm
from pytest_compilecheck.report.ci.markdown_lines import markdown_lines
from pytest_compilecheck.report.failure import failure_lines, rerun_command
from pytest_compilecheck.report.incomplete import incomplete_report_text
from pytest_compilecheck.report.outcome_reason import outcome_reasons
from pytest_compilecheck.report.policies.text import policies_lines
from pytest_compilecheck.report.run_words import (
    is_broken,
    run_title,
    versions_text,
)
from pytest_compilecheck.report.style import line
from pytest_compilecheck.report.summary_line import headline
from pytest_compilecheck.report.table import breaks_text, fallbacks_text, recompiles_text
from pytest_compilecheck.report.top import (
    CONTRACTS,
    SHOW_ALL,
    most,
    outcomes_text,
    shown_first,
    worst_first,
)
from pytest_compilecheck.report.wording import plural

_HEADINGS = (
    ("outcome", False),
    ("breaks", True),
    ("recompiles", True),
    ("fallbacks", True),
    ("contract", False),
)


def markdown_text(report: RunReport) -> str:
    """The report as GitHub's Markdown."""
    return "\n\n".join(markdown_blocks(report)) + "\n"


def markdown_within(report: RunReport, limit: int) -> str:
    """As much of the report as fits into so many bytes; a last sentence says what is left out."""
    kept: list[str] = []
    blocks = list(markdown_blocks(report))
    left = limit - len(_left_out(len(blocks)).encode())
    for block in blocks:
        left -= len(block.encode("utf-8", errors="backslashreplace")) + 2
        if left < 0:
            break
        kept.append(block)
    if len(kept) < len(blocks):
        kept.append(_left_out(len(blocks) - len(kept)))
    return "\n\n".join(kept) + "\n"


def _left_out(blocks: int) -> str:
    return (
        f"{plural(blocks, 'section')} of this report did not fit in here:"
        " --compilecheck-markdown=PATH writes all of it to a file."
    )


def markdown_blocks(report: RunReport) -> Iterator[str]:
    """The report piece by piece, each complete by itself, the most important first."""
    ordered = worst_first(report.contracts)
    broken = [each for each in ordered if is_broken(each)]
    others = [each for each in ordered if not is_broken(each)]
    rows = most(report.layout.top, CONTRACTS)
    yield from _head(report)
    if broken:
        yield _table(broken, rows)
    for record in broken:
        summary = f"{_html_name(record)}: {gfm.html_text(headline(record))}"
        yield gfm.folded(summary, _details(record, report.layout))
    if others:
        yield gfm.folded(outcomes_text(others), _table(others, rows))
    yield from _accepted(report.contracts_by_id, rows)
    yield from _policies(report.contracts)
    yield from _asides(report.contracts, rows)
    if report.audit is not None:
        yield "## Compile audit"
        yield markdown_lines(audit_lines(report.audit, top=report.layout.top))


def _head(report: RunReport) -> Iterator[str]:
    counts = outcomes_text(report.contracts)
    yield f"## {run_title(report.contracts)}"
    counted = [counts] if counts else []
    yield "; ".join([*counted, gfm.text(versions_text(report))])
    if not report.complete:
        yield gfm.strong(incomplete_report_text(report))


def _table(records: Sequence[ContractRecord], rows: int | None) -> str:
    shown, rest = shown_first(records, rows)
    table = gfm.table(_HEADINGS, map(_row, shown))
    return f"{table}\n\n{gfm.text(rest)}" if rest else table


def _row(record: ContractRecord) -> tuple[str, ...]:
    return (
        record.outcome,
        breaks_text(record),
        recompiles_text(record),
        fallbacks_text(record),
        gfm.code(record.name, in_cell=True),
    )


def _html_name(record: ContractRecord) -> str:
    return f"<code>{gfm.html_text(record.name)}</code>"


def _details(record: ContractRecord, layout: Layout) -> str:
    rerun = rerun_command(record.id)
    return markdown_lines(failure_lines(record, root=layout.root, rerun=rerun))


def _accepted(records: Sequence[ContractRecord], rows: int | None) -> Iterator[str]:
    found = accepted_rows(records)
    if not found:
        return
    yield "## Accepted"
    shown = [(*map(gfm.text, each[:-1]), gfm.code(each[-1], in_cell=True)) for each in found[:rows]]
    told = [gfm.table([(column.heading, False) for column in COLUMNS], shown)]
    if len(found) > len(shown):
        told.append(f"and {len(found) - len(shown)} more: {SHOW_ALL}")
    if overlap(records):
        told.append(OVERLAP)
    yield "\n\n".join(told)


def _policies(records: Iterable[ContractRecord]) -> Iterator[str]:
    measured = [record for record in records if record.policies is not None]
    if measured:
        yield "## Shape policies"
    for record in measured:
        yield markdown_lines(policies_lines(record, verbose=False))


def _asides(records: Sequence[ContractRecord], rows: int | None) -> Iterator[str]:
    told = [
        *outcome_reasons(records),
        *(words for each in records for words, _ in aside_lines(each)),
    ]
    if told:
        shown = told[:rows]
        if len(told) > len(shown):
            shown.append(f"and {len(told) - len(shown)} more: {SHOW_ALL}")
        notes = markdown_lines(line(f"  {words}") for words in shown)
        yield gfm.folded(plural(len(told), "note"), notes)
