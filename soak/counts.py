"""What the contracts of a report counted, without times: what must be the same in each run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Counts = dict[str, str]
"""Id of a contract, with the name of its part, to all that was observed and judged, as JSON."""

_TIMES = ("seconds", "compile_seconds", "backward_seconds", "memory_growth")


def counts(report: Path) -> Counts:
    """Of each contract in a JSON report."""
    read = json.loads(report.read_text(encoding="utf-8"))
    found: Counts = {}
    for record in read["contracts"]:
        name = " ".join(filter(None, (record["id"], record["part"])))
        told = {key: record[key] for key in ("outcome", "observed", "violations", "allowed")}
        found[name] = json.dumps(_timeless(told), sort_keys=True)
    return found


def seconds(report: Path) -> dict[str, float]:
    """How long the calls of each test took, by its id."""
    read = json.loads(report.read_text(encoding="utf-8"))
    taken: dict[str, float] = {}
    for record in read["contracts"]:
        calls = (record["observed"] or {"timeline": []})["timeline"]
        spent = sum(call["seconds"] for call in calls)
        taken[record["id"]] = taken.get(record["id"], 0.0) + spent
    return taken


def _timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _timeless(each) for name, each in value.items() if name not in _TIMES}
    if isinstance(value, list):
        return [_timeless(each) for each in value]
    return value


def differing(one: Counts, other: Counts) -> list[str]:
    """Contracts that are in one only, or counted something else."""
    return sorted(name for name in {*one, *other} if one.get(name) != other.get(name))
