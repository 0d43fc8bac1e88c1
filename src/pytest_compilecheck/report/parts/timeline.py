"""The calls of a watch: one folded line, or a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import get_args

from pytest_compilecheck.observe.values.observation import CallKind, TimelineEntry
from pytest_compilecheck.observe.values.recompile import RecompileEvent
from pytest_compilecheck.report.grid import Column, column_grid
from pytest_compilecheck.report.parts.recompiles import change_text
from pytest_compilecheck.report.ranges import fold_kinds
from pytest_compilecheck.report.style import Line, Span, line
from pytest_compilecheck.report.wording import number, plural, printable, sentence, sizes_text

_KINDS: tuple[CallKind, ...] = get_args(CallKind)
_RUNS_SHOWN = 24


def timeline_section(
    timeline: Sequence[TimelineEntry], events: Sequence[RecompileEvent], *, verbose: bool
) -> list[Line]:
    """One line of folded calls; with `verbose` a table with one row for each call.

    `events` say why calls recompiled.
    """
    if not timeline:
        return []
    if verbose:
        return [
            line(Span("calls:", "heading")),
            *(line("  ", Span(row, "row")) for row in _table(timeline, events)),
        ]
    runs = fold_kinds([(entry.call, entry.kind) for entry in timeline])
    shown, hidden = runs[:_RUNS_SHOWN], runs[_RUNS_SHOWN:]
    more = f", and {plural(len(hidden), 'more run')} to call {timeline[-1].call}" if hidden else ""
    return [line(Span("calls: ", "heading"), ", ".join(shown), more)]


def kinds_text(kinds: Iterable[CallKind]) -> str:
    """How many calls there were of each kind: "1 compile, 3 hit"."""
    counts = Counter(kinds)
    return ", ".join(f"{counts[kind]} {kind}" for kind in _KINDS if counts[kind])


def _table(timeline: Sequence[TimelineEntry], events: Sequence[RecompileEvent]) -> list[str]:
    return column_grid(timeline_columns(timeline, events))


def timeline_columns(
    timeline: Sequence[TimelineEntry], events: Sequence[RecompileEvent]
) -> dict[Column, list[str]]:
    """One cell for each call in each column; what no call has is no column."""
    columns: dict[Column, list[str]] = {
        Column("call"): [str(entry.call) for entry in timeline],
        Column("step"): [number(entry.step) for entry in timeline],
        Column("pass"): [number(entry.pass_) for entry in timeline],
        Column("kind", "left"): [entry.kind for entry in timeline],
        Column("sizes", "left"): [sizes_text(entry.sizes) for entry in timeline],
        Column("seconds"): [f"{entry.seconds:.4f}" for entry in timeline],
        Column("compiling"): [f"{entry.compile_seconds:.4f}" for entry in timeline],
        Column("launches"): [number(entry.graph_launches) for entry in timeline],
    }
    if any(entry.weight != 1 for entry in timeline):
        columns[Column("count")] = [str(entry.weight) for entry in timeline]
    if len({entry.region for entry in timeline}) > 1:
        columns[Column("region", "left")] = [printable(entry.region) for entry in timeline]
    if events:
        why = {event.call: change_text(event.changes[0]) for event in reversed(events)}
        columns[Column("because of", "left")] = [why.get(entry.call, "") for entry in timeline]
    if any(entry.error for entry in timeline):
        columns[Column("error", "left")] = [sentence(entry.error or "") for entry in timeline]
    return columns
