"""Raw conversions to recompiles, attempts, and what the compiled graphs assume."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from pytest_compilecheck.observe.assembly.break_text import is_user_exception
from pytest_compilecheck.observe.events import Specialization, StackFrame
from pytest_compilecheck.observe.reason_text import culprit
from pytest_compilecheck.observe.recording.conversion import Conversion
from pytest_compilecheck.observe.source import Ownership, author_name, source_line
from pytest_compilecheck.observe.values.place import Frame
from pytest_compilecheck.observe.values.recompile import (
    AssumedSizes,
    AttemptOutcome,
    Change,
    FixedSize,
    FragileGuard,
    RecompileAttempt,
    RecompileEvent,
)

_OF_SYMBOLS = ("shape", "python_value", "module_state")  # what torch may take for a symbol


def recompile_events(
    conversions: Sequence[Conversion], ownership: Ownership
) -> tuple[RecompileEvent, ...]:
    """The completed rebuilds, in order."""
    numbers: dict[int, int] = {}
    return tuple(
        RecompileEvent(
            **_rebuild(conversion, ownership),
            code_object=numbers.setdefault(id(conversion.code), len(numbers)),
            guards=tuple(reason.text for reason in conversion.reasons or ()),
        )
        for conversion in conversions
        if conversion.recompiled and conversion.call is not None
    )


def recompile_attempts(
    conversions: Sequence[Conversion], ownership: Ownership
) -> tuple[RecompileAttempt, ...]:
    """Rebuilds that made no graph."""
    return tuple(
        RecompileAttempt(**_rebuild(conversion, ownership), outcome=_attempt_outcome(conversion))
        for conversion in conversions
        if conversion.reasons is not None
        and not conversion.outcome.compiled
        and conversion.call is not None
    )


def fragile_guards(
    conversions: Sequence[Conversion], ownership: Ownership
) -> tuple[FragileGuard, ...] | None:
    """Assumptions likely to fail, by the newest graph of each code object.

    None where those of a graph are not known.
    """
    newest = {id(each.code): each.outcome for each in conversions if each.outcome.compiled}
    found: dict[tuple[str, str | None], FragileGuard] = {}
    for outcome in newest.values():
        if outcome.graph is None:
            return None
        for guard in outcome.graph.fragile:
            file = None if guard.file is None else ownership.relative(guard.file)
            found.setdefault((guard.source, file), replace(guard, file=file))
    return tuple(sorted(found.values(), key=lambda guard: guard.rank))


def fixed_sizes(conversions: Iterable[Conversion], ownership: Ownership) -> tuple[FixedSize, ...]:
    """Symbolic sizes that the code made numbers, in compiled graphs and in those that failed."""
    return tuple(
        FixedSize(
            call=conversion.call,
            sources=event.sources,
            value=event.value,
            code=source_line(place.file, place.line),
            reason=event.reason,
            **_place(place, ownership),
        )
        for conversion in conversions
        if (conversion.outcome.compiled or conversion.outcome.raised)
        and conversion.call is not None
        for event in _once(conversion.specializations)
        for place in [_innermost(event.traced, ownership)]
        if place is not None
    )


def assumed_sizes(
    conversions: Iterable[Conversion], ownership: Ownership
) -> tuple[AssumedSizes, ...]:
    """Sizes that the graphs of regions' own functions assume, for graph after graph."""
    return tuple(
        AssumedSizes(
            call=conversion.call,
            sizes=dict(conversion.outcome.graph.sizes),
            **_code_place(conversion, ownership),
        )
        for conversion in conversions
        if conversion.is_root and conversion.call is not None and conversion.outcome.graph
    )


def _rebuild(conversion: Conversion, ownership: Ownership) -> dict[str, Any]:
    """Fields of `Rebuild`."""
    return {
        "call": conversion.call,
        "guard": culprit(conversion.reasons or ()).text,
        "changes": tuple(_fixed(change, conversion, ownership) for change in conversion.changes),
        **_code_place(conversion, ownership),
    }


def _code_place(conversion: Conversion, ownership: Ownership) -> dict[str, Any]:
    code = conversion.code
    return _place(StackFrame(code.co_filename, code.co_firstlineno, code.co_name), ownership)


def _place(frame: StackFrame, ownership: Ownership) -> dict[str, Any]:
    """Fields of a place: file, line, function."""
    return {
        "file": ownership.relative(frame.file),
        "line": frame.line,
        "function": author_name(frame.function),
    }


def _fixed(change: Change, conversion: Conversion, ownership: Ownership) -> Change:
    """The change with the line that made a number of what had become a symbol."""
    events = (each for each in conversion.specializations if change.source in each.sources)
    event = next(events, None)
    place = _innermost(event.traced, ownership) if event is not None else None
    if place is None or change.cause not in _OF_SYMBOLS or change.automatic_dynamic:
        return change
    fixed_at = Frame(**_place(place, ownership))
    return replace(change, special=change.special or "specialized", fixed_at=fixed_at)


def _innermost(traced: Sequence[StackFrame], ownership: Ownership) -> StackFrame | None:
    """The innermost frame of the project's own code, or else of any outside torch."""
    for owners in (("own",), ("own", "third_party")):
        for frame in reversed(traced):
            if ownership.owner(frame.file) in owners:
                return frame
    return None


def _once(events: Iterable[Specialization]) -> Iterator[Specialization]:
    """Events without the repetitions that come when torch begins a compile anew."""
    yield from {(event.sources, event.traced[-1:]): event for event in events}.values()


def _attempt_outcome(conversion: Conversion) -> AttemptOutcome:
    outcome = conversion.outcome
    if outcome.at_limit:
        return "limit"
    if outcome.skip in ("no_ops", "no_tensors"):
        return "nothing_to_compile"
    if any(not error.soft for error in conversion.errors):
        return "backend_error"
    if any(is_user_exception(event.text) for event in conversion.breaks):
        return "user_exception"
    if conversion.breaks or any(error.unsupported for error in conversion.errors):
        return "graph_break"
    return "user_exception" if outcome.raised or conversion.errors else "skipped"
