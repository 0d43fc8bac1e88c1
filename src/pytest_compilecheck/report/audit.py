"""The end of an audit: who breaks, who recompiles, and which tests compile nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pytest_compilecheck.judge.audited import AuditedTest
from pytest_compilecheck.observe.values.observation import BreakSite
from pytest_compilecheck.observe.values.recompile import RecompileEvent, count_recompiles
from pytest_compilecheck.report.grid import Column, grid
from pytest_compilecheck.report.parts.trouble import doubts_section
from pytest_compilecheck.report.style import BLANK, Line, Span, line
from pytest_compilecheck.report.top import PLACES, SHOW_ALL, most
from pytest_compilecheck.report.wording import (
    function_name,
    number,
    place,
    plural,
    printable,
    seconds_text,
    sentence,
)


def audit_lines(
    tests: Sequence[AuditedTest], *, top: int | None = None, verbose: bool = False
) -> list[Line]:
    """Places and tests, ranked, the worst first.

    Each table has `top` rows: 0 for all, None for the usual number. With `verbose` the tests that
    compiled nothing are named.
    """
    compiled = [test for test in tests if test.compiled]
    idle = [test for test in tests if not test.compiled and test.outcome != "skipped"]
    rows = most(top, PLACES)
    return [
        line(Span(f"{plural(len(tests), 'test')}, {len(compiled)} compiled something", "heading")),
        *_section("graph breaks, by place", _ranked(compiled, _breaks), _BREAK_COLUMNS, rows),
        *_section("recompiles, by place", _ranked(compiled, _rebuilds), _REBUILD_COLUMNS, rows),
        *_section("tests", _tests(compiled), _TEST_COLUMNS, rows),
        *_doubts(tests),
        *_section(_UNSURE, _ranked(tests, _problems), _PROBLEM_COLUMNS, rows),
        *_idle(idle, rows, verbose),
    ]


_UNSURE = "what could not be watched: figures of these tests may be wrong"


@dataclass(slots=True)
class _Ranked:
    """One place over all tests: how often, in which of them."""

    cells: tuple[str, ...]
    times: int = 0
    tests: set[str] = field(default_factory=set)


_BREAK_COLUMNS = (
    Column("breaks"),
    Column("tests"),
    Column("place", "left"),
    Column("reason", "left"),
)
_REBUILD_COLUMNS = (
    Column("recompiles"),
    Column("tests"),
    Column("place", "left"),
    Column("because of", "left"),
)
_PROBLEM_COLUMNS = (Column("times"), Column("tests"), Column("what", "left"))
_TEST_COLUMNS = (
    Column("breaks"),
    Column("recompiles"),
    Column("fallbacks"),
    Column("graphs"),
    Column("calls"),
    Column("compiling"),
    Column("test", "left"),
)


def _breaks(test: AuditedTest) -> Iterable[tuple[tuple[str, ...], int]]:
    for site in test.observed.break_sites:
        yield _site_cells(site), 1


def _site_cells(site: BreakSite) -> tuple[str, ...]:
    gb_id = f" ({site.gb_id})" if site.gb_id else ""
    return place(site.file, site.line), sentence(site.reason) + gb_id


def _rebuilds(test: AuditedTest) -> Iterable[tuple[tuple[str, ...], int]]:
    by_place: dict[tuple[str, ...], list[RecompileEvent]] = {}
    for event in test.observed.recompile_events:
        where = f"{place(event.file, event.line)} in {function_name(event.function)}"
        cells: tuple[str, ...] = where, f"{printable(event.source)} ({event.cause})"
        by_place.setdefault(cells, []).append(event)
    for cells, events in by_place.items():
        yield cells, count_recompiles(events)


def _problems(test: AuditedTest) -> Iterable[tuple[tuple[str, ...], int]]:
    for problem in test.observed.problems:
        yield (sentence(problem),), 1


def _doubts(tests: Iterable[AuditedTest]) -> list[Line]:
    told = doubts_section(doubt for test in tests for doubt in test.observed.doubts)
    return [BLANK, *told] if told else []


def _ranked(
    tests: Iterable[AuditedTest],
    found: Callable[[AuditedTest], Iterable[tuple[tuple[str, ...], int]]],
) -> list[tuple[str, ...]]:
    ranked: dict[tuple[str, ...], _Ranked] = {}
    for test in tests:
        for cells, times in found(test):
            entry = ranked.setdefault(cells, _Ranked(cells))
            entry.times += times
            entry.tests.add(test.id)
    worst_first = sorted(ranked.values(), key=lambda each: (-each.times, each.cells))
    return [(str(each.times), str(len(each.tests)), *each.cells) for each in worst_first]


def _tests(tests: Sequence[AuditedTest]) -> list[tuple[str, ...]]:
    def trouble(test: AuditedTest) -> tuple[int, float, str]:
        seen = test.observed
        troubles = len(seen.break_sites) + (seen.recompiles or 0) + len(seen.fallbacks)
        return -troubles, -(seen.compile_seconds or 0.0), test.id

    return [
        (
            number(test.observed.known_breaks),
            number(test.observed.recompiles),
            number(test.observed.known_fallbacks),
            number(test.observed.graphs),
            str(len(test.observed.timeline)),
            seconds_text(test.observed.compile_seconds),
            printable(test.id),
        )
        for test in sorted(tests, key=trouble)
    ]


def _section(
    title: str, rows: Sequence[tuple[str, ...]], columns: Sequence[Column], shown: int | None
) -> list[Line]:
    if not rows:
        return []
    lines = [BLANK, line(Span(title, "heading"))]
    lines += [line(Span(row, "row")) for row in grid(columns, rows[:shown])]
    if shown is not None and len(rows) > shown:
        lines.append(line(Span(f"and {len(rows) - shown} more: {SHOW_ALL}", "dim")))
    return lines


def _idle(tests: Sequence[AuditedTest], shown: int | None, verbose: bool) -> list[Line]:
    if not tests:
        return []
    lines = [BLANK, line(Span(f"{plural(len(tests), 'test')} compiled nothing", "heading"))]
    if verbose:
        lines += [line(f"  {printable(test.id)}") for test in tests]
    else:
        by_file: dict[str, int] = {}
        for test in tests:
            file = test.id.partition("::")[0]
            by_file[file] = by_file.get(file, 0) + 1
        files = _most_first(by_file)[:shown]
        lines += [line(f"  {plural(n, 'test')} of {printable(file)}") for file, n in files]
        if len(by_file) > len(files):
            hidden = plural(len(by_file) - len(files), "more file")
            lines.append(line(Span(f"  and those of {hidden}", "dim")))
    return lines


def _most_first(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))
