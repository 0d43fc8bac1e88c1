"""Both sides' counts as one kind of value, and in which fields they differ."""

from __future__ import annotations

import linecache
import os
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from fuzz.oracle import Call, Oracle
from fuzz.program import Program
from fuzz.text import TELLS_IDS, Broken, broken, plain_name, titles

Site = tuple[str, int, int | None, str]
"""File, line, column (None where an expression begins its line, or where it is not told), and GB id
or, where none is told, the title."""

Code = tuple[str, int, bytes | None]
"""Name, line and, of what torch resumes, the bytecode."""

_RAISED = "RuntimeError when making fake tensor call"
# How torch names an error that is no graph break, in its metrics of a compile.
_HIDDEN = ("BackendCompilerFailed", "TorchRuntimeError", "InternalTorchDynamoError")
_UNTOLD = "torch stops capture here and gives no reason"  # up to 2.9, where no event tells of it


@dataclass(frozen=True, slots=True)
class Counts:
    """What happened in a program, by one side."""

    calls: int
    break_sites: int
    graphs: int
    titles: frozenset[str] | None  # why it broke; from torch's counters alone, where they tell all
    captured_ops: int
    launches: tuple[int, ...]
    kinds: tuple[str, ...]
    errors: tuple[str | None, ...]
    sites: dict[Site, tuple[int, tuple[int, ...]]]  # events, and the calls that they came in
    recompiles: int
    recompile_events: tuple[tuple[int, str, int], ...]  # call, function, its first line
    recompile_attempts: tuple[int, ...]  # calls
    executions: dict[int, float]  # by line of a print, in a warm call


def differences(seen: Counts, told: Counts) -> dict[str, tuple[Any, Any]]:
    """Fields in which the watch and the oracle are not one, with both values."""
    pairs = {
        each.name: (getattr(seen, each.name), getattr(told, each.name)) for each in fields(Counts)
    }
    ran, printed = pairs["executions"]  # the watch does not know all of them
    pairs["executions"] = ran, {line: printed[line] for line in ran}
    if told.titles is None:
        del pairs["titles"]
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def of_watch(observed: dict[str, Any], told: Counts, folder: str) -> Counts:
    """The "observed" object of a report; executions of those breaks that the oracle counts."""
    timeline = observed["timeline"]
    sites = {
        _site(site, folder): site for site in observed["break_sites"] if site["reason"] != _UNTOLD
    }
    return Counts(
        calls=len(timeline),
        break_sites=sum(site["reason"] != _UNTOLD for site in observed["break_sites"]),
        graphs=observed["graphs"],
        titles=frozenset(site["reason"] for site in observed["break_sites"]),
        captured_ops=observed["captured_ops"],
        launches=tuple(entry["graph_launches"] for entry in timeline),
        kinds=tuple(entry["kind"] for entry in timeline),
        errors=tuple((entry["error"] or "").partition(":")[0] or None for entry in timeline),
        sites={key: _events(site) for key, site in sorted(sites.items(), key=str)},
        recompiles=observed["recompiles"],
        recompile_events=tuple(
            sorted((e["call"], e["function"], e["line"]) for e in observed["recompile_events"])
        ),
        recompile_attempts=tuple(a["call"] for a in observed["recompile_attempts"]),
        executions={
            line: ran
            for (_, line, column, _), site in sites.items()
            if column is None and line in told.executions
            if (ran := site["executions_per_warm_call"]) is not None
        },
    )


def _site(site: dict[str, Any], folder: str) -> Site:
    path = os.path.join(folder, site["file"])
    begins_line = site["column"] == _margin(path, site["line"]) + 1
    root = site["gb_id"] if TELLS_IDS and site["gb_id"] else site["reason"]
    return site["file"], site["line"], None if begins_line else site["column"], root


def _events(site: dict[str, Any]) -> tuple[int, tuple[int, ...]]:
    return site["events"], tuple(site["event_calls"])


def _captured_ops(calls: list[Call]) -> int:
    """Operations of graphs that were compiled for the first time: not again, nor after a reset.

    A reset shows by compile ids that begin anew: those of a frame count up, and a frame that is
    converted for the first time has a higher number than all of earlier calls.
    """
    last: dict[str, int] = {}  # number of the last compile of each frame
    before: set[Code] = set()  # that was compiled before the last reset
    since: set[Code] = set()
    total = 0
    for call in calls:
        numbers = [_numbers(compile_id) for compile_id in call.finished]
        if any(_begins_anew(frame, number, last) for frame, number in numbers):
            last.clear()
            before |= since
        last.update(sorted(numbers))
        codes = {number: _code(call, number) for number in call.finished}
        since.update(codes[number] for number, _ in call.ops if number in codes)
        total += sum(
            ops
            for number, ops in call.ops
            if number not in call.reasons and codes.get(number) not in before
        )
    return total


def _begins_anew(frame: str, number: int, last: dict[str, int]) -> bool:
    if frame in last:
        return number <= last[frame]
    return number == 0 and int(frame) < max(map(int, last), default=0)


def _numbers(compile_id: str) -> tuple[str, int]:
    """Of the frame, and of its compile."""
    frame, _, number = compile_id.partition("/")
    return frame, int(number)


def _code(call: Call, number: str) -> Code:
    """The two ways of a branch are resumed in functions of one name."""
    metrics = call.finished[number]
    name, line = metrics["co_name"] or "", metrics["co_firstlineno"]
    return name, line, None if name == plain_name(name) else call.codes.get(number)


def of_oracle(oracle: Oracle, program: Program, folder: str) -> Counts:
    """What the raw events say, by the project's definitions."""
    calls = oracle.calls
    events = [_recompile_events(call) for call in calls]
    sites = _sites(calls, folder)
    return Counts(
        calls=len(calls),
        break_sites=len(sites),
        graphs=sum(call.graphs for call in calls),
        titles=_titles(oracle) if TELLS_IDS else None,
        captured_ops=_captured_ops(calls),
        launches=tuple(call.launches for call in calls),
        kinds=tuple(_kind(call) for call in calls),
        errors=tuple(call.error for call in calls),
        sites=sites,
        recompiles=sum(map(_recompiles, events)),
        recompile_events=tuple(
            sorted(
                (number, plain_name(metrics["co_name"]), metrics["co_firstlineno"])
                for number, (call, ids) in enumerate(zip(calls, events, strict=True))
                for metrics in (call.finished[compile_id] for compile_id in ids)
            )
        ),
        recompile_attempts=tuple(
            number
            for number, (call, ids) in enumerate(zip(calls, events, strict=True))
            for _ in range(len(call.reasons) - len(ids))
        ),
        executions=_executions(calls, program),
    )


def _titles(oracle: Oracle) -> frozenset[str]:
    """By torch's counters.

    They count an error of an operation, which breaks nothing (`torch/_dynamo/utils.py`), and do not
    count a `UserError`, which does.
    """
    told = {record.title for call in oracle.calls for record in call.breaks}
    uncounted = {r.title for call in oracle.calls for r in call.breaks if r.uncounted}
    return (titles(oracle.counted) - ({_RAISED} - told)) | uncounted


def _recompiles(compile_ids: list[str]) -> int:
    """Rebuilds of the most-rebuilt code object of a call; torch numbers frames by code object."""
    return max(Counter(i.partition("/")[0] for i in compile_ids).values(), default=0)


def _recompile_events(call: Call) -> list[str]:
    """Compile ids of code objects that had entries, got a reason and were compiled."""
    return [i for i in call.reasons if _compiled(call.finished.get(i))]


def _compiled(metrics: dict[str, Any] | None) -> bool:
    return metrics is not None and metrics["guard_count"] is not None and not metrics["fail_type"]


def _kind(call: Call) -> str:
    if call.error is not None:
        return "error"
    if _recompile_events(call):
        return "recompile"
    if call.graphs:
        return "compile"
    unanswered = call.misses > len(call.reasons)
    given_up = len(call.reasons) > len(_recompile_events(call)) or any(b.skips for b in call.breaks)
    # The call raised nothing: `suppress_errors` hid it.
    hidden = any(metrics["fail_type"] in _HIDDEN for metrics in call.finished.values())
    return "fallback" if not call.launches or unanswered or given_up or hidden else "hit"


def _sites(calls: Sequence[Call], folder: str) -> dict[Site, tuple[int, tuple[int, ...]]]:
    """Records by place and root reason."""
    records = [
        (number, record)
        for number, call in enumerate(calls)
        for record in [*call.breaks, *_refused(call)]
    ]
    outside = [r for _, r in records if (r.file, r.line) != r.end]
    records = [(number, _joined(record, outside)) for number, record in records]
    found: dict[tuple[str, int, str], list[tuple[int | None, int]]] = defaultdict(list)
    for number, record in records:
        file, inside = record.file, record.file.startswith(folder + os.sep)
        relative = os.path.relpath(file, folder) if inside else file
        key = (relative, record.line, record.gb_id or record.title)
        found[key].append((_column(record), number))
    return dict(sorted(_by_column(found, folder).items(), key=str))


def _joined(record: Broken, outside: Sequence[Broken]) -> Broken:
    """One of torch's frames alone is of the site whose stack ends at that line of torch.

    Of several it is that of the line that was running.
    """
    if (record.file, record.line) != record.end:
        return record
    ending = [each for each in outside if each.end == record.end]
    running = [each for each in ending if (each.file, each.line) in record.running]
    return next(iter(running or ending), record)


def _by_column(
    found: dict[tuple[str, int, str], list[tuple[int | None, int]]], folder: str
) -> dict[Site, tuple[int, tuple[int, ...]]]:
    """Sites; where a statement cannot be a site as a whole, one without a column joins the rest."""
    sites: dict[Site, tuple[int, tuple[int, ...]]] = {}
    for (file, line, reason), records in found.items():
        columns = {column for column, _ in records}
        text = linecache.getline(os.path.join(folder, file), line).lstrip()
        joins = text.startswith(("if ", "while ", "for ", "with ")) and len(columns) > 1
        for column in columns - ({None} if joins else set()):
            numbers = [n for c, n in records if c == column or (joins and c is None)]
            sites[file, line, column, reason] = len(numbers), tuple(sorted(set(numbers)))
    return sites


def _column(record: Broken) -> int | None:
    """None for an expression that begins its line, as for one of unknown column."""
    return None if not record.indent else _margin(record.file, record.line) + record.indent + 1


def _margin(file: str, line: int) -> int:
    text = linecache.getline(file, line)
    return len(text) - len(text.lstrip())


def _refused(call: Call) -> list[Broken]:
    """In full-graph mode, that of a region or of what runs in it, an exception alone tells."""
    record = broken(call.error_text) if call.error == "Unsupported" else None
    return [record] if record is not None else []


def _executions(calls: Sequence[Call], program: Program) -> dict[int, float]:
    """How often each print ran in a call in which torch traced nothing."""
    found = {}
    for tag, line in program.print_lines.items():
        records = [
            (c.region, b) for c in calls for b in [*c.breaks, *_refused(c)] if b.line == line
        ]
        regions = {region for region, _ in records}
        # Perhaps on one way of a branch alone, whose rest is a function of its own.
        if any(b.skips for c in calls if c.region in regions for b in c.breaks):
            continue
        warm = [c for c in calls if not c.traced and c.error is None and c.region in regions]
        # What ran eagerly printed, and executed no break.
        if warm and all(_kind(call) == "hit" for call in warm):
            found[line] = round(sum(c.printed[tag] for c in warm) / len(warm), 3)
    return found
