"""What a report says of code that was compiled before the watch began."""

from __future__ import annotations

from pytest_compilecheck.observe.values.observation import Observation
from pytest_compilecheck.report.style import Line, Span, line
from pytest_compilecheck.report.wording import place_in, plural

_WHY = "torch gave the reasons when it compiled them, which was not watched"
_FIX = (
    "compile inside of what is watched (call torch._dynamo.reset() before it, or let the fixture"
    " make the model anew for each test)"
)


def earlier_section(observed: Observation) -> list[Line]:
    """That calls were warm from the start, and where their code breaks."""
    if not (observed.warm_graphs or observed.earlier_breaks):
        return []
    graphs = observed.warm_graphs
    ran, whose = (plural(graphs, "graph"), "their code") if graphs else ("code", "it")
    lines = [line(Span("Warm start: ", "heading"), f"{ran} from before the watch ran")]
    if observed.earlier_breaks:
        lines.append(line(f"  {whose} breaks at these lines; {_WHY}:"))
        lines += [
            line("    ", Span(place_in(each.function, each.file, each.line), "location"))
            for each in observed.earlier_breaks
        ]
        lines.append(line(Span("  fix  ", "cure"), _FIX))
    return lines
