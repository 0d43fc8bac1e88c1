"""The history of a function that reached torch's limit of rebuilds."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_compilecheck.observe.values.observation import Fallback, Observation, TimelineEntry
from pytest_compilecheck.observe.values.recompile import Rebuild
from pytest_compilecheck.report.grid import Column, Columns, column_grid
from pytest_compilecheck.report.ranges import calls_text
from pytest_compilecheck.report.style import Line, Span, line
from pytest_compilecheck.report.wording import printable, sentence, sizes_text

_HITS_SHOWN = 4


def limit_history(fallback: Fallback, observed: Observation) -> list[Line]:
    """The rebuilds of the function as a small table, and what still runs compiled."""
    own = rebuilds_of(fallback, observed)
    if not own:
        return []
    lines = [line(Span("its rebuilds", "dim"))]
    lines += [line("  ", Span(row, "row")) for row in _table(own)]
    first = min(fallback.calls, default=None)
    if first is not None:
        lines.append(line(_from_then_on(first, own, observed.timeline)))
    return lines


def rebuilds_of(fallback: Fallback, observed: Observation) -> list[Rebuild]:
    """Recompiles and attempts of the function that fell back, in order."""
    own = (fallback.function, fallback.file, fallback.line)
    rebuilds = (*observed.recompile_events, *observed.recompile_attempts)
    return [each for each in rebuilds if (each.function, each.file, each.line) == own]


def _table(rebuilds: Sequence[Rebuild]) -> list[str]:
    columns: Columns = {
        Column("call"): [str(rebuild.call) for rebuild in rebuilds],
        Column("what changed", "left"): [printable(rebuild.source) for rebuild in rebuilds],
        Column("before", "left"): [sentence(rebuild.expected) for rebuild in rebuilds],
        Column("then", "left"): [sentence(rebuild.actual) for rebuild in rebuilds],
        Column("cause", "left"): [rebuild.cause for rebuild in rebuilds],
    }
    return column_grid(columns)


def _from_then_on(
    first: int, rebuilds: Sequence[Rebuild], timeline: Sequence[TimelineEntry]
) -> str:
    """From which call on it runs eagerly, and which inputs are still served."""
    told = f"from call {first} on what is new runs eagerly"
    sources = {rebuild.source for rebuild in rebuilds}
    if len(sources) == 1:
        before = [rebuild for rebuild in rebuilds if rebuild.call < first]
        values = [value for each in before for value in (each.expected, each.actual)]
        served = ", ".join(map(sentence, dict.fromkeys(values)))
        told += f"; {printable(*sources)} = {served} still runs compiled"
    hits = [entry for entry in timeline if entry.call > first and entry.kind == "hit"]
    if hits:
        sizes = dict.fromkeys(sizes_text(entry.sizes) for entry in hits if entry.sizes)
        of_sizes = f" ({'; '.join(list(sizes)[:_HITS_SHOWN])})" if sizes else ""
        told += f"; {calls_text(entry.call for entry in hits)} ran compiled{of_sizes}"
    return told
