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
from fuzz.text import Broken, broken, plain_name

Site = tuple[str, int, int | None, str]
"""File, line, column (None where an expression begins its line, or where it is not told), and GB id
or, where none is told, the title."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What happened in a program, by one side."""

    calls: int
    graphs: int
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
    return {
        each.name: pair
        for each in fields(Counts)
        if (pair := (getattr(seen, each.name), getattr(told, each.name)))[0] != pair[1]
    }


def of_watch(
    observed: dict[str, Any], program: Program, told: Counts, folder: str
) -> Counts:
    """The "observed" object of a report; of executions those that both sides know."""
    timeline = observed["timeline"]
    with_ids = any(root.startswith("GB") for _, _, _, root in told.sites)
    executions = {
        site["line"]: site["executions_per_warm_call"]
        for site in observed["break_sites"]
        if site["line"] in program.print_lines.values()
        and site["line"] in told.executions
    }
    sites: dict[Site, tuple[int, tuple[int, ...]]] = {}
    doubles = []
    for site in observed["break_sites"]:
        root = site["gb_id"] if with_ids and site["gb_id"] else site["reason"]
        path = os.path.join(folder, site["file"])
        begins_line = site["column"] == _margin(path, site["line"]) + 1
        column = None if begins_line else site["column"]  # the oracle cannot tell
        key = (site["file"], site["line"], column, root)
        if key in sites:
            doubles.append(key)
        sites[key] = site["events"], tuple(site["event_calls"])
    assert not doubles, f"sites that are one: {doubles}"
    return Counts(
        calls=len(timeline),
        graphs=observed["graphs"],
        captured_ops=observed["captured_ops"],
        launches=tuple(entry["graph_launches"] for entry in timeline),
        kinds=tuple(entry["kind"] for entry in timeline),
        errors=tuple((entry["error"] or "").partition(":")[0] or None for entry in timeline),
        sites=dict(sorted(sites.items(), key=str)),
        recompiles=observed["recompiles"],
        recompile_events=tuple(
            sorted((e["call"], e["function"], e["line"]) for e in observed["recompile_events"])
        ),
        recompile_attempts=tuple(a["call"] for a in observed["recompile_attempts"]),
        executions={line: told.executions[line] if n is None else n for line, n in executions.items()},
    )


def of_oracle(oracle: Oracle, program: Program, folder: str) -> Counts:
    """What the raw events say, by the project's definitions."""
    calls = oracle.calls
    events = [_recompile_events(call) for call in calls]
    return Counts(
        calls=len(calls),
        graphs=sum(call.graphs for call in calls),
        captured_ops=sum(
            ops for call in calls for compile_id, ops in call.ops if compile_id not in call.reasons
        ),
        launches=tuple(call.launches for call in calls),
        kinds=tuple(_kind(call) for call in calls),
        errors=tuple(call.error for call in calls),
        sites=_sites(calls, program, folder),
        recompiles=sum(max(Counter(i.partition("/")[0] for i in ids).values(), default=0) for ids in events),
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
    return "fallback" if not call.launches or unanswered or given_up else "hit"


def _sites(
    calls: Sequence[Call], program: Program, folder: str
) -> dict[Site, tuple[int, tuple[int, ...]]]:
    """Records by place and root reason; one without a column joins any of its line."""
    found: dict[tuple[str, int, str], list[tuple[int | None, int]]] = defaultdict(list)
    for number, call in enumerate(calls):
        for record in [*call.breaks, *_refused(call, program)]:
            file = record.file
            inside = file.startswith(folder + os.sep)
            relative = os.path.relpath(file, folder) if inside else file
            key = (relative, record.line, record.gb_id or record.title)
            found[key].append((_column(record), number))
    sites: dict[Site, tuple[int, tuple[int, ...]]] = {}
    for (file, line, reason), records in found.items():
        columns = {column for column, _ in records if column is not None} or {None}
        for column in columns:
            numbers = [n for c, n in records if c in (column, None)]
            sites[file, line, column, reason] = len(numbers), tuple(sorted(set(numbers)))
    return dict(sorted(sites.items(), key=str))


def _column(record: Broken) -> int | None:
    """None for an expression that is all of its line, as for one of unknown column."""
    return None if record.indent is None else _margin(record.file, record.line) + record.indent + 1


def _margin(file: str, line: int) -> int:
    text = linecache.getline(file, line)
    return len(text) - len(text.lstrip())


def _refused(call: Call, program: Program) -> list[Broken]:
    """In full-graph mode torch tells of a break by an exception alone."""
    if not program.full_graph or call.error != "Unsupported":
        return []
    record = broken(call.error_text)
    return [record] if record is not None else []


def _executions(calls: Sequence[Call], program: Program) -> dict[int, float]:
    """How often each print ran in a call in which torch traced nothing."""
    found = {}
    for tag, line in program.print_lines.items():
        regions = {c.region for c in calls for b in c.breaks if b.line == line}
        warm = [c for c in calls if not c.traced and c.error is None and c.region in regions]
        # What ran eagerly printed, and executed no break.
        if warm and all(_kind(call) == "hit" for call in warm):
            found[line] = round(sum(c.printed[tag] for c in warm) / len(warm), 3)
    return found
