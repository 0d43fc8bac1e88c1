"""How much memory the process holds."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager


class Growth:
    """By how many bytes the process grew in a block, None where the system does not tell."""

    size: int | None = None


@contextmanager
def memory_growth() -> Iterator[Growth]:
    """Measure a block; garbage is collected before and after, so that it does not count."""
    growth, before = Growth(), resident()
    try:
        yield growth
    finally:
        after = resident()
        if before is not None and after is not None:
            growth.size = after - before


def resident() -> int | None:
    """Bytes that the process holds, without garbage; None where the system does not tell."""
    gc.collect()
    try:
        # In pages, the resident ones second (proc(5)).
        with open("/proc/self/statm", encoding="ascii") as counts:
            return int(counts.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return None


def peak() -> int | None:
    """The most bytes that the process ever held; None where the system does not tell.

    Of Linux's two figures it is that of the program: `ru_maxrss` has that of its parent too.
    """
    try:
        with open("/proc/self/status", encoding="ascii") as lines:
            return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:"))
    except (OSError, StopIteration):
        return None
