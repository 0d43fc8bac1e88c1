"""What the contracts of a report counted, without times: what must be the same in each run."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

from pytest_compilecheck.judge.merge import TIMES

Counts = dict[str, str]
"""Id of a contract, with the name of its part, to all that was observed and judged, as JSON."""


def counts(report: Path) -> Counts:
    """Of each contract in a JSON report."""
    read = json.loads(report.read_text(encoding="utf-8"), object_hook=_timeless)
    found: Counts = {}
    for record in read["contracts"]:
        name = " ".join(filter(None, (record["id"], record["part"])))
        told = {key: record[key] for key in ("outcome", "observed", "violations", "allowed")}
        found[name] = json.dumps(told, sort_keys=True)
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


def _timeless(data: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in data.items() if name not in TIMES}


def test_of(name: str) -> str:
    """The id of the test whose contract, or a part of it, has this name."""
    return name.partition(" ")[0]


def of_tests(seen: Counts, ids: Collection[str]) -> Counts:
    """What the contracts of these tests counted."""
    return {name: told for name, told in seen.items() if test_of(name) in ids}


def differing(one: Counts, other: Counts) -> list[str]:
    """Contracts that are in one only, or counted something else."""
    return sorted(name for name in {*one, *other} if one.get(name) != other.get(name))
