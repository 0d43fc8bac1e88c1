"""What a report says of recompiles, change by change, and of rebuilds that made no graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_compilecheck.observe.values.observation import Fallback, TimelineEntry
from pytest_compilecheck.observe.values.recompile import (
    AttemptOutcome,
    Change,
    RecompileAttempt,
    RecompileEvent,
    Special,
)
from pytest_compilecheck.report.parts.rebuild_groups import Group, groups
from pytest_compilecheck.report.ranges import calls_text
from pytest_compilecheck.report.style import BLANK, Line, Span, indent, line
from pytest_compilecheck.report.wording import (
    guard_text,
    place,
    place_in,
    plural,
    printable,
    sentence,
    sizes_text,
)

MEANING = (
    "Recompiles: what torch had assumed (a guard) did not hold any more, so it compiled again."
)
ATTEMPTS_MEANING = "Rebuilds that made no graph; they do not count as recompiles:"
_GROUPS_SHOWN, _PLACES_SHOWN, _CHANGES_SHOWN, _VALUES_SHOWN, _CURES_SHOWN = 8, 4, 6, 8, 3
_ATTEMPT_OUTCOMES: Mapping[AttemptOutcome, str] = {
    "limit": "torch's limit of rebuilds was reached",
    "nothing_to_compile": "this path holds no tensor operation",
    "graph_break": "a graph break made torch give up the function",
    "user_exception": "the code raised while torch traced it",
    "backend_error": "the backend raised",
    "skipped": "torch gave the function up",
}
_SPECIAL: Mapping[Special, str] = {
    "zero_one": "0/1 specialization",
    "duck_shape": "duck shaping",
    "static_parameter": "fixed by a Parameter",
    "condition": "condition in the code",
    "specialized": "needed as a number",
}


def recompiles_section(
    events: Sequence[RecompileEvent], timeline: Sequence[TimelineEntry], *, verbose: bool
) -> list[Line]:
    """Each change that made torch compile again: what it was, in which calls, what to do."""
    if not events:
        return []
    lines = [line(Span(MEANING, "heading"))]
    found = groups(events)
    shown = found if verbose else found[:_GROUPS_SHOWN]
    for group in shown:
        lines += [BLANK, group_title(group)]
        lines += indent(group_facts(group, timeline, verbose=verbose))
    if hidden := len(found) - len(shown):
        lines += [BLANK, line(f"and {plural(hidden, 'more change')} that made torch compile again")]
    return lines


def group_facts(
    group: Group, timeline: Sequence[TimelineEntry], *, verbose: bool = False
) -> list[Line]:
    """What changed, the sizes, what was rebuilt, by which guard, what to do."""
    return [
        *_histories(group, verbose),
        *_sizes(group, timeline),
        *_rebuilt(group, verbose),
        *_cures(group),
    ]


def attempts_section(
    attempts: Sequence[RecompileAttempt], fallbacks: Sequence[Fallback]
) -> list[Line]:
    """Rebuilds that torch began and that made no graph; equal ones on one line.

    Those at the recompile limit stand in the history of its fallback, where that is told.
    """
    limited = [
        (each.function, each.file, each.line)
        for each in fallbacks
        if each.kind == "recompile_limit"
    ]
    attempts = [each for each in attempts if (each.function, each.file, each.line) not in limited]
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


def change_text(change: Change) -> str:
    """One line: "x.size(1): 128 -> 129"."""
    return history_text(change, [change.expected, change.actual])


def history_text(change: Change, values: Sequence[str]) -> str:
    """One line: "self.step: 0 -> 1 -> 2"."""
    known = [sentence(value) for value in values if value]
    if len(known) > _VALUES_SHOWN:
        known = [*known[: _VALUES_SHOWN - 2], "...", known[-1]]
    told = " -> ".join(known) or "changed"
    return f"{printable(change.source)}: {told}"


def labels_text(change: Change) -> str:
    """What kind of change it is: "shape, argument, automatic dynamic"."""
    labels: list[str] = [change.cause, change.holder]
    if change.automatic_dynamic:
        labels.append("automatic dynamic")
    if change.special is not None:
        by = f" in {place(change.fixed_at.file, change.fixed_at.line)}" if change.fixed_at else ""
        labels.append(_SPECIAL[change.special] + by)
    return ", ".join(labels)


def group_title(group: Group) -> Line:
    """In which calls, and how many recompiles that is."""
    calls = group.calls
    each = ", one each" if len(calls) == group.recompiles and len(calls) > 1 else ""
    code_objects = len({event.code_object for event in group.events})
    rebuilt = f" ({code_objects} code objects rebuilt)" if code_objects > 1 else ""
    return line(f"{calls_text(calls)}: {plural(group.recompiles, 'recompile')}{each}{rebuilt}")


def _histories(group: Group, verbose: bool) -> list[Line]:
    histories = group.histories
    shown = histories if verbose else histories[:_CHANGES_SHOWN]
    lines = [
        line(
            Span(history_text(change, values), "bad"),
            Span(f"  ({labels_text(change)})", "dim"),
        )
        for change, values in shown
    ]
    if hidden := len(histories) - len(shown):
        lines.append(line(f"and {plural(hidden, 'more thing')} that changed with it"))
    return lines


def _sizes(group: Group, timeline: Sequence[TimelineEntry]) -> list[Line]:
    """Sizes of the first call, beside those of the call before it of which they are known."""
    call = group.calls[0]
    known = [entry for entry in timeline if entry.call <= call and entry.sizes]
    if not known or known[-1].call != call:
        return []
    this = known.pop()
    # A call that compiled shows its arguments, another one the inputs of its step.
    alike = [
        each
        for each in known
        if each.region == this.region and each.sizes.keys() == this.sizes.keys()
    ]
    before = alike[-1] if alike else None
    if before is None:
        compared = ""
    elif before.sizes == this.sizes:
        compared = f", as in call {before.call}"
    else:
        compared = f"; call {before.call} had {sizes_text(before.sizes)}"
    of_call = f" of call {call}" if len(group.calls) > 1 else ""
    return [line(Span(f"sizes{of_call}  ", "dim"), f"{sizes_text(this.sizes)}{compared}")]


def _rebuilt(group: Group, verbose: bool) -> list[Line]:
    places = list(group.places.items())
    shown = places if verbose else places[:_PLACES_SHOWN]
    lines: list[Line] = []
    for (function, file, at), times in shown:
        often = f" ({times} times)" if times > 1 else ""
        lines.append(line(Span("rebuilt  ", "dim"), _where(function, file, at), often))
    if hidden := len(places) - len(shown):
        lines.append(line(f"and {plural(hidden, 'more function')}"))
    guards = list(dict.fromkeys(event.guard for event in group.events))
    lines += [
        line(Span("guard    ", "dim"), guard_text(guard))
        for guard in (guards if verbose else guards[:1])
    ]
    if verbose:
        entries = dict.fromkeys(text for event in group.events for text in event.guards)
        lines += [line(Span(f"cached entry  {sentence(text)}", "dim")) for text in entries]
    return lines


def _where(function: str, file: str, at: int) -> Span:
    return Span(place_in(function, file, at), "location")


def _cures(group: Group) -> list[Line]:
    """One cure for each kind of change, for the first thing that changed so."""
    cures: dict[tuple[str | None, ...], str] = {}
    for change, _ in group.histories:
        kind = (change.cause, change.holder, change.special)
        cures.setdefault(kind, change.cure)
    shown = list(dict.fromkeys(cures.values()))[:_CURES_SHOWN]
    return [line(Span("fix      ", "cure"), printable(text)) for text in shown]
