"""Notes now and then what the process holds: a line of JSON for each time."""

from __future__ import annotations

import gc
import json
import os
import threading

import torch

EVERY = int(os.environ["SOAK_EVERY"])
LOG = f"{os.environ['SOAK_LOG']}.{os.environ.get('PYTEST_XDIST_WORKER', 'main')}"
HOLDS = "PYTEST_XDIST_WORKER" in os.environ or os.environ["SOAK_WORKERS"] == "0"
_done: list[str] = []


def pytest_runtest_logfinish(nodeid: str) -> None:
    """After each test; xdist's controller hears of them too, and holds none of them."""
    _done.append(nodeid)
    if len(_done) % EVERY == 0 and HOLDS:
        note()


def note() -> None:
    """Write down what the process holds once its garbage is gone."""
    gc.collect()
    with open("/proc/self/statm", encoding="ascii") as file:
        pages = int(file.read().split()[1])
    held = {
        "tests": len(_done),
        "megabytes": pages * os.sysconf("SC_PAGE_SIZE") / 1e6,
        "objects": len(gc.get_objects()),
        "files": len(os.listdir("/proc/self/fd")),
        "threads": len(os.listdir("/proc/self/task")),
        "python threads": threading.active_count(),
        "grad mode": torch.is_grad_enabled(),
        "recompile limit": torch._dynamo.config.recompile_limit,
    }
    with open(LOG, "a", encoding="utf-8") as log:
        log.write(json.dumps(held) + "\n")
