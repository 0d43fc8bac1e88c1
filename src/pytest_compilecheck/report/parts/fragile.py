"""What a report says of assumptions that are likely to fail in a later call."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_compilecheck.observe.values.recompile import FragileGuard
from pytest_compilecheck.report.style import Line, Span, line
from pytest_compilecheck.report.wording import place, plural, printable, sentence

MEANING = "Fragile guards: what the compiled code takes for granted and is likely to change."
_SHOWN = 6


def fragile_section(guards: Sequence[FragileGuard] | None, *, verbose: bool) -> list[Line]:
    """Each assumption with where the code uses it and why it may change, the likeliest first."""
    if not guards:
        return []
    shown = guards if verbose else guards[:_SHOWN]
    lines = [line(Span(MEANING, "heading"))]
    for guard in shown:
        where = place(guard.file, guard.line) if guard.file and guard.line else ""
        lines.append(
            line(
                f"  {printable(guard.source)} is {sentence(guard.value)}",
                f"  {printable(guard.why)}",
                Span(f"  {where}" if where else "", "location"),
            )
        )
    if hidden := len(guards) - len(shown):
        lines.append(line(f"  and {plural(hidden, 'less likely one')}"))
    return lines
