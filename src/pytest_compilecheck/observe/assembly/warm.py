"""Calls that ran graphs from before the watch: what of them can be known, and what cannot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import CodeType

from pytest_compilecheck.observe.events import GraphOrigin
from pytest_compilecheck.observe.recording.conversion import Call, Conversion, Graph
from pytest_compilecheck.observe.source import Ownership, author_name, resumed_line
from pytest_compilecheck.observe.values.place import Frame


def warm_graphs(calls: Iterable[Call], graphs: Iterable[Graph]) -> set[int]:
    """Numbers of graphs that ran and were compiled before."""
    return {number for call in calls for number in call.launched} - {g.number for g in graphs}


def earlier_codes(conversions: Iterable[Conversion]) -> int:
    """Code objects that had graphs from before when they were first compiled here."""
    first: dict[int, Conversion] = {}
    for conversion in conversions:
        first.setdefault(id(conversion.code), conversion)
    return sum(
        conversion.had_entries and conversion.reasons is not None for conversion in first.values()
    )


def earlier_breaks(
    calls: Sequence[Call],
    graphs: Sequence[Graph],
    origins: Mapping[int, GraphOrigin],
    ownership: Ownership,
) -> tuple[Frame, ...]:
    """Places at which code that was compiled before and ran in these calls breaks.

    torch told its reasons then. One break may be here at several places, the line that breaks and
    the lines of the calls that led to it: each resume function has a place of its own.
    """
    warm = warm_graphs(calls, graphs)
    found = dict.fromkeys(_resumed_places(warm, origins, ownership))
    found |= dict.fromkeys(_given_up(calls, warm, origins, ownership))
    return tuple(found)


def _resumed_places(
    warm: Iterable[int], origins: Mapping[int, GraphOrigin], ownership: Ownership
) -> Iterator[Frame]:
    for number in sorted(warm):
        origin = origins.get(number)
        for code in (origin.code, *origin.resumes) if origin else ():
            line = resumed_line(code.co_name)
            if line is not None and ownership.owner(code.co_filename) != "torch":
                yield _frame(code, line, ownership)


def _given_up(
    calls: Iterable[Call],
    warm: set[int],
    origins: Mapping[int, GraphOrigin],
    ownership: Ownership,
) -> Iterator[Frame]:
    """Regions of whose own function no graph ran, while those of functions it calls did."""
    for call in calls:
        target = call.region.target
        launched = [origins[number].code for number in call.launched if number in origins]
        if target is None or target.code is None or not set(call.launched) <= warm or not launched:
            continue
        if ownership.owner(target.code.co_filename) == "torch":
            continue
        own = _author(target.code)
        if all(_author(code) != own for code in launched):
            yield _frame(target.code, target.code.co_firstlineno, ownership)


def _author(code: CodeType) -> tuple[str, str]:
    return code.co_filename, author_name(code.co_name)


def _frame(code: CodeType, line: int, ownership: Ownership) -> Frame:
    return Frame(
        file=ownership.relative(code.co_filename), line=line, function=author_name(code.co_name)
    )
