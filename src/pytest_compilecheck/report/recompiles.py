"""What a report says of recompiles, call by call, and of rebuilds that made no graph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby

from pytest_compilecheck.observe.observation import (
    AttemptOutcome,
    RecompileAttempt,
    RecompileEvent,
    TimelineEntry,
    count_recompiles,
)
from pytest_compilecheck.report.ranges import calls_text
from pytest_compilecheck.report.style import BLANK, Line, Span, indent, line
from pytest_compilecheck.report.wording import (
    guard_text,
    place_in,
    plural,
    sentence,
    sizes_text,
)

MEANING = (
    "Recompiles: what torch had assumed (a guard) did not hold any more, so it compiled again."
)
ATTEMPTS_MEANING = "Rebuilds that made no graph; they do not count as recompiles:"
_CALLS_SHOWN, _GUARDS_SHOWN = 8, 4
_SIZE_CURE = (
    "if this size must change, max_recompiles=1 accepts the one rebuild in which torch makes it"
    " dynamic; dynamic=True, or torch._dynamo.mark_dynamic(tensor, dim) in your code, spares it"
)
_VALUE_CURE = (
    "keep what the guard names the same in all calls, or pass what must change as a tensor"
)
_ATTEMPT_OUTCOMES: Mapping[AttemptOutcome, str] = {
    "limit": "torch's limit of rebuilds was reached",
    "nothing_to_compile": "this path holds no tensor operation",
    "graph_break": "a graph break made torch give up the function",
    "user_exception": "the code raised while torch traced it",
    "backend_error": "the backend raised",
    "skipped": "torch gave the function up",
}


def recompiles_section(
    events: Sequence[RecompileEvent], timeline: Sequence[TimelineEntry], *, verbose: bool
) -> list[Line]:
    """Each call that recompiled: its sizes, what was rebuilt, the guards that failed."""
    events = sorted(events, key=lambda event: event.call)
    if not events:
        return []
    lines = [line(Span(MEANING, "heading"))]
    by_call = [(call, list(of_call)) for call, of_call in groupby(events, lambda event: event.call)]
    shown = by_call if verbose else by_call[:_CALLS_SHOWN]
    for call, of_call in shown:
        lines += [BLANK, _title(call, of_call)]
        lines += indent(_sizes(call, timeline))
        lines += indent(_rebuilt(of_call, verbose))
    if hidden := len(by_call) - len(shown):
        lines += [BLANK, line(f"and {plural(hidden, 'more call')} that recompiled")]
    lines += [BLANK, *(line(Span("fix  ", "cure"), cure) for cure in _cures(events))]
    return lines


def attempts_section(attempts: Sequence[RecompileAttempt]) -> list[Line]:
    """Rebuilds that torch began and that made no graph; equal ones on one line."""
    if not attempts:
        return []
    calls: dict[tuple[str, str, int, str, AttemptOutcome], list[int]] = {}
    for attempt in attempts:
        what = (attempt.function, attempt.file, attempt.line, attempt.guard, attempt.outcome)
        calls.setdefault(what, []).append(attempt.call)
    lines = [line(Span(ATTEMPTS_MEANING, "heading"))]
    for (function, file, at, guard, outcome), in_calls in calls.items():
        lines.append(line(f"  {calls_text(in_calls)}: ", _where(function, file, at)))
        lines.append(line(Span("    guard  ", "dim"), guard_text(guard)))
        lines.append(line(Span("    why    ", "dim"), _ATTEMPT_OUTCOMES[outcome]))
    return lines


def _title(call: int, events: Sequence[RecompileEvent]) -> Line:
    rebuilt = len({event.code_object for event in events})
    several = f" ({rebuilt} code objects rebuilt)" if rebuilt > 1 else ""
    return line(f"call {call}: {plural(count_recompiles(events), 'recompile')}{several}")


def _sizes(call: int, timeline: Sequence[TimelineEntry]) -> list[Line]:
    """Sizes of a call, beside those of the last call of its region of which they are known."""
    known = [entry for entry in timeline if entry.call <= call and entry.sizes]
    if not known or known[-1].call != call:
        return []
    this = known.pop()
    before = next((entry for entry in reversed(known) if entry.region == this.region), None)
    if before is None:
        compared = ""
    elif before.sizes == this.sizes:
        compared = f", as in call {before.call}"
    else:
        compared = f"; call {before.call} had {sizes_text(before.sizes)}"
    return [line(Span("sizes  ", "dim"), f"{sizes_text(this.sizes)}{compared}")]


def _rebuilt(events: Sequence[RecompileEvent], verbose: bool) -> list[Line]:
    folded = Counter(
        (event.function, event.file, event.line, event.guard, event.guards) for event in events
    )
    shown = list(folded.items()) if verbose else list(folded.items())[:_GUARDS_SHOWN]
    lines: list[Line] = []
    for (function, file, at, guard, guards), times in shown:
        often = f" ({times} times)" if times > 1 else ""
        lines.append(line(_where(function, file, at), often))
        lines.append(line(Span("  guard that failed  ", "dim"), Span(guard_text(guard), "bad")))
        if verbose:
            lines += [
                line(Span(f"  cached entry       {sentence(text)}", "dim")) for text in guards
            ]
    if hidden := len(folded) - len(shown):
        lines.append(line(f"and {hidden} more in this call"))
    return lines


def _where(function: str, file: str, at: int) -> Span:
    return Span(place_in(function, file, at), "location")


def _cures(events: Sequence[RecompileEvent]) -> list[str]:
    needed = {_SIZE_CURE if _is_about_size(event.guard) else _VALUE_CURE for event in events}
    return [cure for cure in (_SIZE_CURE, _VALUE_CURE) if cure in needed]


def _is_about_size(guard: str) -> bool:
    return "size mismatch" in guard or ".size()[" in guard
