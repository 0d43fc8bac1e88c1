"""What a report says of operators that a compiler cannot see into."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_compilecheck.observe.values.observation import OpaqueOp
from pytest_compilecheck.report.style import Line, Span, line
from pytest_compilecheck.report.wording import place, plural, printable, sentence

MEANING = "Opaque operators: they are in the graph, and the compiler calls them as they are."


def opaque_section(ops: Sequence[OpaqueOp]) -> list[Line]:
    """Each operator with the line that calls it, and what is wrong with it."""
    if not ops:
        return []
    lines = [line(Span(MEANING, "heading"))]
    for op in ops:
        where = place(op.file, op.line) if op.file and op.line else ""
        lines.append(
            line(
                f"  {printable(op.name)}  {plural(op.calls, 'call')}  ",
                Span(where, "location"),
                f"  {printable(op.code)}" if op.code else "",
            )
        )
        lines += [line(Span("    fault  ", "bad"), sentence(fault)) for fault in op.faults or ()]
    return lines
