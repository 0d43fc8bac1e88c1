"""Calls that ran code from before the watch: what of it can be known, and what cannot."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from types import CodeType

from pytest_compilecheck.observe.assembly.cross_check import told_lines, untold_resumes
from pytest_compilecheck.observe.events import GraphOrigin
from pytest_compilecheck.observe.recording.conversion import (
    Call,
    CompiledCode,
    Conversion,
    Graph,
)
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


class EarlierBreaks:
    """Finds where code breaks that was compiled before: torch told its reasons then."""

    def __init__(
        self, conversions: Sequence[Conversion], known: CompiledCode, ownership: Ownership
    ) -> None:
        self._ownership = ownership
        self._origins = known.graphs
        self._converted = {id(conversion.code) for conversion in conversions}
        self._told = told_lines(conversions)
        rebuilt = untold_resumes(conversions, self._told, of_earlier_code=True)
        self._rebuilt = {id(code): code for code in rebuilt}
        self._behind: defaultdict[int, list[CodeType]] = defaultdict(list)
        self._before: defaultdict[int, list[CodeType]] = defaultdict(list)
        for origin in known.graphless:
            for resume in origin.resumes:
                self._behind[id(origin.code)].append(resume)
                self._before[id(resume)].append(origin.code)
        self._compiled = {id(origin.code) for origin in (*known.graphs.values(), *known.graphless)}

    def find(self, calls: Iterable[Call], warm: Container[int]) -> tuple[Frame, ...]:
        """Places at which code that was compiled before and ran in these calls breaks.

        One break may be here at several places, the line that breaks and the lines of the calls
        that led to it: each resume function has a place of its own. A line of whose break torch
        told here, since code was compiled again, is none.
        """
        distinct = {_way(call): call for call in calls}.values()
        resumed = [code for call in distinct for code in self._resumed(call, warm)]
        found = dict.fromkeys(self._places([*resumed, *self._rebuilt.values()]))
        found |= dict.fromkeys(self._given_up(distinct))
        return tuple(found)

    def _places(self, codes: Iterable[CodeType]) -> Iterator[Frame]:
        for code in codes:
            line = resumed_line(code.co_name)
            if line is None or (code.co_filename, line) in self._told:
                continue
            if self._ownership.owner(code.co_filename) != "torch":
                yield self._frame(code, line)

    def _resumed(self, call: Call, warm: Container[int]) -> Iterable[CodeType]:
        """What ran in a call of code from before, the functions that torch resumed among it.

        Code that runs no graph shows by what calls it and by what it calls.
        """
        launched = self._launched(call)
        shown = {id(each.code) for each in launched.values()}
        shown |= {id(each.code) for each in call.conversions}
        called = {id(code) for each in launched.values() for code in each.resumes}
        called |= {id(code) for each in call.conversions for code in each.outcome.resumes}
        waiting = list(self._seen_to_run(call, warm))
        ran: dict[int, CodeType] = {}
        for code in waiting:  # which grows
            if id(code) in ran:
                continue
            ran[id(code)] = code
            if id(code) not in called:
                waiting += self._before[id(code)]
            if id(code) not in shown and not call.has_eager_work:
                behind = self._behind[id(code)]
                waiting += [each for each in behind if id(each) in shown] or behind
        return ran.values()

    def _seen_to_run(self, call: Call, warm: Container[int]) -> Iterator[CodeType]:
        for number, origin in self._launched(call).items():
            if number in warm:
                yield from (origin.code, *origin.resumes)
        yield from (each.code for each in call.conversions if id(each.code) in self._rebuilt)
        target = call.region.target
        if target is not None and target.code is not None:
            yield target.code

    def _launched(self, call: Call) -> dict[int, GraphOrigin]:
        numbers = sorted(set(call.launched))
        return {number: self._origins[number] for number in numbers if number in self._origins}

    def _given_up(self, calls: Iterable[Call]) -> Iterator[Frame]:
        """Regions of whose own function no graph ran, while those of functions it calls did.

        torch did not look at it here: that it is left to Python was decided before.
        """
        for call in calls:
            target = call.region.target
            launched = self._launched(call).values()
            if target is None or target.code is None:
                continue
            if not self._converted.isdisjoint((id(call.region.root), id(target.code))):
                continue
            if self._ownership.owner(target.code.co_filename) == "torch" or not launched:
                continue
            eager = call.has_eager_work and id(target.code) in self._compiled
            own = _author(target.code)
            if not eager and all(_author(each.code) != own for each in launched):
                yield self._frame(target.code, target.code.co_firstlineno)

    def _frame(self, code: CodeType, line: int) -> Frame:
        file = self._ownership.relative(code.co_filename)
        return Frame(file=file, line=line, function=author_name(code.co_name))


def _way(call: Call) -> object:
    """What is equal for calls in which the same happened."""
    conversions = tuple(map(id, call.conversions))
    return call.region.number, call.launched, call.has_eager_work, conversions


def _author(code: CodeType) -> tuple[str, str]:
    return code.co_filename, author_name(code.co_name)
