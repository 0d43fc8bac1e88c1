"""One process of a run: programs one after the other, a line of JSON for each."""

from __future__ import annotations

import gc
import json
import logging
import os
import sys
import tempfile
import traceback
from dataclasses import asdict
from typing import Any

import torch
import torch._dynamo.guards

from fuzz.program import draw
from fuzz.run import run

BARE_EVERY = 20
"""One program in so many is run a second time without the watch: that must not count otherwise."""


def prepare() -> None:
    """Make this process fast and silent; nothing of it is counted.

    Garbage is collected when the compiler is reset. Timing a new guard, which torch does for its
    metrics, empties the processor's caches first: 30 ms for each graph.
    """
    gc.disable()
    if hasattr(torch._dynamo.guards, "profile_guard_manager"):
        torch._dynamo.guards.profile_guard_manager = lambda *_: 0.0
    for name in ["torch", *(n for n in logging.root.manager.loggerDict if n.startswith("torch."))]:
        for handler in logging.getLogger(name).handlers:
            handler.setLevel(logging.CRITICAL + 1)


def crashed(index: int, how: str) -> dict[str, Any]:
    """What is logged of a program of which nothing else is known."""
    return {"index": index, "productions": [], "differences": {"crash": how}}


def outcome(seed: int, index: int, folder: str) -> dict[str, Any]:
    """What is logged of one program."""
    program = draw(seed, index)
    try:
        result = run(program, folder)
        told = result.told
        differences = result.differences
        if index % BARE_EVERY == 0:
            bare = run(program, folder, watched=False).told
            differences |= {
                f"{name} without the watch": (asdict(told)[name], value)
                for name, value in asdict(bare).items()
                if value != asdict(told)[name]
            }
    except Exception:  # noqa: BLE001 - an error here is a finding
        return crashed(index, traceback.format_exc())
    return {
        "index": index,
        "productions": sorted(program.productions),
        "differences": {name: repr(pair) for name, pair in differences.items()},
        "problems": result.problems,
        "kinds": told.kinds,
        "errors": [error for error in told.errors if error],
        "sites": [root for _, _, _, root in told.sites],
        "events": sum(events for events, _ in told.sites.values()),
        "graphs": told.graphs,
        "recompiles": told.recompiles,
        "recompile_events": len(told.recompile_events),
        "attempts": len(told.recompile_attempts),
        "launches": sum(told.launches),
        "executions": len(result.seen.executions),
        "bare": index % BARE_EVERY == 0,
    }


def main(seed: int, first: int, count: int, log: str) -> None:
    """Run programs `first` to `first + count`, and append to the log."""
    prepare()
    with tempfile.TemporaryDirectory() as folder, open(log, "a", encoding="utf-8") as lines:
        for index in range(first, first + count):
            torch._dynamo.reset()
            gc.freeze()  # what looks through all objects finds those of this program alone
            line = outcome(seed, index, os.path.realpath(folder))
            lines.write(json.dumps(line) + "\n")
            lines.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
