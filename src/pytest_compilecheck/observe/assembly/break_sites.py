"""Folds torch's break records into break sites."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from pytest_compilecheck.observe.assembly.break_text import BreakText, docs_link, parse
from pytest_compilecheck.observe.events import BreakEvent, StackFrame
from pytest_compilecheck.observe.recording.conversion import Call, Conversion
from pytest_compilecheck.observe.source import (
    Ownership,
    author_name,
    is_of_pytest,
    resumed_line,
    source_line,
)
from pytest_compilecheck.observe.values.observation import BreakSite
from pytest_compilecheck.observe.values.place import Frame

# Breaks of torch's own bookkeeping, which are told as fallbacks: the recompile limit, and a
# generator as the region. Some releases and log settings emit a record for them, others do not.
_NO_BREAKS = (
    "Dynamo recompile limit exceeded",
    "Attempt to trace generator",
    "Unsupported functorch tracing attempt",
)

_IN_CHECKPOINT = "\n  Higher Order Operator: torch.utils.checkpoint.checkpoint\n"

_UNEXPLAINED = BreakText(
    reason="torch stops capture here and gives no reason",
    explanation="The rest of the function runs eagerly. Newer torch releases name the reason.",
    hints=(),
    gb_id=None,
    gb_ids=(),
    skips_function=True,
    skips_rest=True,
)


@dataclass(slots=True)
class _Record:
    """One break event with its text read and its place found."""

    text: BreakText
    event: BreakEvent
    conversion: Conversion
    place: StackFrame | None  # innermost traced frame outside torch
    torch_place: StackFrame | None  # innermost traced frame, where it is torch's

    @property
    def unexplained(self) -> bool:
        """Whether torch stopped without saying why."""
        return self.text is _UNEXPLAINED


@dataclass(slots=True)
class _Site:
    """A place and root reason, with the records that fell on it."""

    first: _Record
    place: StackFrame
    records: list[_Record] = field(default_factory=list)
    given_up: bool = False  # the rest of a function on the way to it was left to Python

    def takes(self, record: _Record, place: StackFrame) -> bool:
        """Whether a record at `place` is one more event of this site."""
        same_line = (self.place.file, self.place.line) == (place.file, place.line)
        columns = {self.place.column, place.column}
        same_column = len(columns) == 1 or None in columns
        return same_line and same_column and _root(self.first.text) == _root(record.text)


class BreakSiteFinder:
    """Makes the break sites of a watch from its conversions."""

    def __init__(self, ownership: Ownership, ids_by_title: Mapping[str, str]) -> None:
        self._ownership = ownership
        self._ids_by_title = ids_by_title

    def find(self, conversions: Sequence[Conversion], calls: Sequence[Call]) -> list[BreakSite]:
        """All sites, in the order in which they were first met."""
        records = [record for item in conversions for record in self._records(item)]
        sites: list[_Site] = []
        for record in records:
            if record.place is not None and not record.unexplained:
                self._file(record, record.place, sites)
        for record in records:
            if record.unexplained:
                self._file_unexplained(record, sites)
            elif record.place is None:
                self._file_torch_record(record, sites)
        order = {id(record): position for position, record in enumerate(records)}
        sites.sort(key=lambda site: min(order[id(record)] for record in site.records))
        executions = _Executions(conversions, calls)
        return [self._finished(site, executions) for site in sites]

    def _records(self, conversion: Conversion) -> Iterator[_Record]:
        events = list(conversion.breaks)
        if conversion.outcome.raised:  # full-graph mode reports by an exception alone
            events += [error.event for error in conversion.errors if error.unsupported][-1:]
        texts = [parse(event.text, self._ids_by_title) for event in events]
        if not any(text.skips_rest for text in texts):
            # 2.8, 2.9: there is no record of an instruction that torch cannot trace.
            events += conversion.unresumed
            texts += [_UNEXPLAINED] * len(conversion.unresumed)
        for event, text in zip(events, texts, strict=True):
            if text.reason.startswith(_NO_BREAKS):
                continue
            outside = [f for f in event.traced if self._ownership.owner(f.file) != "torch"]
            # Code made from a string, as a dataclass's __init__ is, is no place of anybody's.
            outside = [f for f in outside if f.file != "<string>"] or outside
            innermost = event.traced[-1] if event.traced else None
            in_torch = innermost is not None and self._ownership.owner(innermost.file) == "torch"
            yield _Record(
                text=text,
                event=event,
                conversion=conversion,
                place=outside[-1] if outside else None,
                torch_place=innermost if in_torch else None,
            )

    @staticmethod
    def _file(record: _Record, place: StackFrame, sites: list[_Site]) -> None:
        site = next((site for site in sites if site.takes(record, place)), None)
        if site is None:
            site = _Site(record, place)
            sites.append(site)
        elif site.place.column is None and place.column is not None:
            site.place = place
        site.records.append(record)

    def _file_unexplained(self, record: _Record, sites: list[_Site]) -> None:
        """A stop without a record follows from a break further in, where there is one."""
        place = record.place or _place_without_user_frame(record)
        for site in sites:
            way = _whole_stack(site.first)
            if any((frame.file, frame.line) == (place.file, place.line) for frame in way):
                site.given_up = True
                return
        self._file(record, place, sites)

    def _file_torch_record(self, record: _Record, sites: list[_Site]) -> None:
        """A record with torch frames alone joins the site whose stack ends at that torch line.

        Of several that do it is the one whose line is running, where one of them is.
        """
        place = _place_without_user_frame(record)
        end = (place.file, place.line)
        ending = [
            site
            for site in sites
            if any(
                r.torch_place and (r.torch_place.file, r.torch_place.line) == end
                for r in site.records
            )
        ]
        running = {(frame.file, frame.line) for frame in record.event.above}
        ending.sort(key=lambda site: (site.place.file, site.place.line) not in running)
        if ending:
            ending[0].records.append(record)
        else:
            self._file(record, place, sites)

    def _finished(self, site: _Site, executions: _Executions) -> BreakSite:
        text, place, records = site.first.text, site.place, site.records
        chain = self._chain(site.first)
        own = [frame for frame in chain if self._ownership.owner(frame.file) == "own"]
        calls = {r.conversion.call for r in records if r.conversion.call is not None}
        torch_place = next((r.torch_place for r in records if r.torch_place), None)
        return BreakSite(
            file=self._ownership.relative(place.file),
            line=place.line,
            column=place.column,
            end_column=place.end_column,
            code=source_line(place.file, place.line),
            function=author_name(place.function),
            reason=text.reason,
            explanation=text.explanation,
            hints=text.hints,
            gb_id=text.gb_id,
            gb_ids=text.gb_ids,
            docs=docs_link(text.gb_id),
            owner=self._ownership.owner(place.file),
            events=len(records),
            event_calls=tuple(sorted(calls)),
            executions_per_warm_call=executions.of(place, records),
            skips_function=site.given_up or any(_gives_up_function(r) for r in records),
            own_frame=self._frame(own[-1]) if own else None,
            chain=tuple(self._frame(frame) for frame in self._callers(chain, place)),
            torch_frame=self._frame(torch_place) if torch_place and torch_place != place else None,
        )

    def _chain(self, record: _Record) -> list[StackFrame]:
        """Frames outside torch from the outermost own one to the break, outer to inner.

        What calls pytest is no part of it: that is other code in a worker of xdist.
        """
        stack = _whole_stack(record)
        calls = (i for i, frame in enumerate(stack, 1) if is_of_pytest(frame.file))
        inside = stack[max(calls, default=0) :]
        outside = [frame for frame in inside if self._ownership.owner(frame.file) != "torch"]
        first_own = next(
            (i for i, frame in enumerate(outside) if self._ownership.owner(frame.file) == "own"), 0
        )
        return outside[first_own:]

    @staticmethod
    def _callers(chain: list[StackFrame], place: StackFrame) -> list[StackFrame]:
        """The chain without the place itself."""
        if chain and (chain[-1].file, chain[-1].line) == (place.file, place.line):
            return chain[:-1]
        return chain

    def _frame(self, frame: StackFrame) -> Frame:
        return Frame(
            file=self._ownership.relative(frame.file),
            line=frame.line,
            function=author_name(frame.function),
        )


class _Executions:
    """How often a break runs in a warm call, from how often the graphs around it were launched."""

    def __init__(self, conversions: Sequence[Conversion], calls: Sequence[Call]) -> None:
        self._conversions = conversions
        self._warm = [call for call in calls if call.error is None and not call.conversions]
        self._known = {graph.number for item in conversions for graph in item.graphs}

    def of(self, place: StackFrame, records: Sequence[_Record]) -> float | None:
        """Mean executions per warm call of the regions in which it breaks.

        None without such a call, or without a graph to go by. In graphs from before the watch the
        break may run as well.
        """
        regions = {r.conversion.region.number for r in records if r.conversion.region is not None}
        warm = [call for call in self._warm if call.region.number in regions]
        if not warm or not all(self._known.issuperset(call.launched) for call in warm):
            return None
        # The break of an inlined function comes again when that function is compiled by itself:
        # that conversion runs once for each execution of the break, its callers maybe less often.
        direct = [r.conversion for r in records if r.place is not None and r.place is _outermost(r)]
        if direct and any(_may_run_unseen(r, direct, warm) for r in records):
            return None
        stopped = direct or [r.conversion for r in records]
        if all(conversion.graphs for conversion in stopped):
            return _launches_per_call(stopped, warm)
        if any(conversion.graphs for conversion in stopped):
            return None  # some of them stop before the first operation: nothing tells how often
        resumed = [
            c
            for c in self._conversions
            if c.code.co_filename == place.file and resumed_line(c.code.co_name) == place.line
        ]
        return _launches_per_call(resumed, warm) if any(c.graphs for c in resumed) else None


def _may_run_unseen(record: _Record, direct: Sequence[Conversion], warm: Sequence[Call]) -> bool:
    """Whether it may be of a function that is not compiled by itself here, but elsewhere was.

    What `checkpoint` runs behind a break is left to Python. Up to 2.10 the record does not name it.
    """
    if _IN_CHECKPOINT in record.event.text:
        return True
    region = record.conversion.region
    if region is None or any(c.region and c.region.number == region.number for c in direct):
        return False
    numbers = {graph.number for conversion in direct for graph in conversion.graphs}
    return all(numbers.isdisjoint(c.launched) for c in warm if c.region.number == region.number)


def _outermost(record: _Record) -> StackFrame | None:
    return record.event.traced[0] if record.event.traced else None


def _launches_per_call(conversions: Iterable[Conversion], calls: Sequence[Call]) -> float:
    numbers = {graph.number for conversion in conversions for graph in conversion.graphs}
    launches = sum(number in numbers for call in calls for number in call.launched)
    return round(launches / len(calls), 3)


def _place_without_user_frame(record: _Record) -> StackFrame:
    """Torch's innermost frame; without a traced stack the frame being converted."""
    code = record.conversion.code
    return record.torch_place or StackFrame(code.co_filename, code.co_firstlineno, code.co_name)


def _whole_stack(record: _Record) -> list[StackFrame]:
    """Live and traced frames, outer to inner.

    Of a function that was left at a break and resumed, both parts are on the live stack; only the
    part that runs now is a place of the author's.
    """
    stack = [*record.event.above, *record.event.traced]
    if record.event.traced:
        first = len(record.event.above)
        stack[first] = replace(stack[first], function=record.conversion.code.co_name)
    return [
        frame
        for frame, inner in zip_longest(stack, stack[1:])
        if inner is None or not _resumes(inner, frame)
    ]


def _resumes(inner: StackFrame, frame: StackFrame) -> bool:
    resumed = resumed_line(inner.function) is not None and inner.file == frame.file
    return resumed and author_name(inner.function) == author_name(frame.function)


def _root(text: BreakText) -> str:
    return text.gb_id or text.reason


def _gives_up_function(record: _Record) -> bool:
    # Up to 2.10 the text of a break in a loop says nothing of it; that nothing was made of it does.
    outcome = record.conversion.outcome
    text = record.text
    return text.skips_function or text.skips_rest or not (outcome.compiled or outcome.raised)
