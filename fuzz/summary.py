"""What a log of a run holds: how much was compared, how wide it was, and what differed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from fuzz.grammar import STATEMENTS

_SUMS = {
    "sites": "break sites",
    "events": "break events",
    "graphs": "graphs",
    "launches": "launches",
    "recompiles": "recompiles",
    "recompile_events": "recompile events",
    "attempts": "rebuilds that made no graph",
    "executions": "breaks whose executions are known to both",
}


def summary(lines: Iterable[str]) -> str:
    """The text of a summary."""
    programs = [json.loads(line) for line in lines]
    return "\n".join([*_size(programs), *_breadth(programs), *_disagreements(programs)])


def _size(programs: list[dict[str, Any]]) -> Iterator[str]:
    yield f"programs compared: {len(programs)}"
    yield f"  calls: {sum(len(p.get('kinds', ())) for p in programs)}"
    for name, words in _SUMS.items():
        values = (p.get(name, 0) for p in programs)
        yield f"  {words}: {sum(len(v) if isinstance(v, list) else v for v in values)}"
    yield f"  run again without the watch: {sum(p.get('bare', False) for p in programs)}"


def _breadth(programs: list[dict[str, Any]]) -> Iterator[str]:
    yield "programs with at least one"
    yield f"  break: {sum(bool(p.get('sites')) for p in programs)}"
    yield f"  recompile: {sum(bool(p.get('recompiles')) for p in programs)}"
    both = [p for p in programs if len(p.get("sites", ())) > 1 and p["recompiles"]]
    yield f"  two breaks and a recompile: {len(both)}"
    for kind in _KINDS:
        yield f"  call of kind {kind}: {sum(kind in p.get('kinds', ()) for p in programs)}"
    yield "sites by id: " + _told(Counter(i for p in programs for i in p.get("sites", ())))
    yield "errors: " + _told(Counter(e for p in programs for e in p.get("errors", ())))
    used = Counter(name for p in programs for name in p["productions"])
    yield "programs by what is in them: " + _told(used)
    yield f"statements never drawn: {[s.name for s in STATEMENTS if s.name not in used]}"


_KINDS = ("compile", "recompile", "hit", "fallback", "error")


def _disagreements(programs: list[dict[str, Any]]) -> Iterator[str]:
    differing = [p for p in programs if p["differences"]]
    troubled = [p for p in programs if p.get("problems")]
    yield f"programs that disagree: {len(differing)}"
    for program in differing:
        yield f"  {program['index']}:"
        yield from (f"    {name}: {pair}" for name, pair in program["differences"].items())
    yield f"programs in which the watch tells of a problem: {len(troubled)}"
    for program in troubled:
        yield f"  {program['index']}: {'; '.join(program['problems'])}"


def _told(counted: Counter[str]) -> str:
    return ", ".join(f"{name} {number}" for name, number in counted.most_common())
