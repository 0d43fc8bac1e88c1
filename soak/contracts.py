"""Thousands of contracts: what each counts, and what the processes hold from time to time."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

from tabulate import tabulate

from soak.counts import Counts
from soak.run import held

SAMPLES = 10
_SAME = ("files", "threads", "python threads", "grad mode", "recompile limit")


def soak(contracts: int, workers: int, folder: Path) -> int:
    """Hold them, print what was found; 1 where a count or the process did not stay as it was."""
    log = folder / "held"
    every = max(contracts // SAMPLES // max(workers, 1), 1)
    env = {
        "SOAK_CONTRACTS": str(contracts),
        "SOAK_EVERY": str(every),
        "SOAK_LOG": str(log),
        "SOAK_WORKERS": str(workers),
    }
    arguments = ["-p", "no:randomly", "-n", str(workers), "soak/suite"]
    seen, summary = held(arguments, folder / "report.json", env)
    print(summary)
    kinds = unlike(seen)
    print(f"records: {len(seen)}, of {len(kinds)} kinds")
    for kind, ways in kinds.items():
        print(f"  {kind}: " + ("the same each time" if len(ways) == 1 else f"{len(ways)} ways"))
    good = True
    for path in sorted(folder.glob("held.*")):
        notes = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        print(f"\nprocess {path.suffix[1:]}\n")
        print(tabulate(notes, headers="keys", floatfmt=".0f"))
        good = steady(notes) and good
    return 0 if good and all(len(ways) == 1 for ways in kinds.values()) else 1


def unlike(seen: Counts) -> dict[str, set[str]]:
    """Kinds of contracts, each with all that its contracts counted."""
    kinds: dict[str, set[str]] = defaultdict(set)
    for name, told in seen.items():
        id_, _, part = name.partition(" ")
        kind = f"{id_.partition('[')[0].rstrip('0123456789')} {part}".strip()
        kinds[kind].add(told.replace(id_, "its id"))
    return dict(sorted(kinds.items()))


def steady(notes: list[dict[str, Any]]) -> bool:
    """Whether a process held as many files and threads all the time; prints how much it grew."""
    half, end = notes[(len(notes) - 1) // 2], notes[-1]
    grown = [end[name] - half[name] for name in ("megabytes", "objects")]
    same = all(note[name] == notes[0][name] for name in _SAME for note in notes)
    print(f"\ngrown since half time: {grown[0]:.0f} MB, {grown[1]} objects")
    print("files, threads and settings: " + ("the same all the time" if same else "NOT the same"))
    return same
