"""What is measured around one step: seconds of phases, and memory before and after."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter, time

from pytest_compilecheck.observe.running.memory import resident
from pytest_compilecheck.observe.torch_adapter import cached_graphs, guards_made, seconds_spent
from pytest_compilecheck.replay.device import Device

_BACKEND = "OutputGraph.call_user_compiler"
_AUTOTUNE = "CachingAutotuner.benchmark_all_configs"


@dataclass(slots=True, kw_only=True)
class Readings:
    """Of one step: seconds in the backend, in trying kernels, in the collector; guards; bytes.

    `dropped` are compiled versions that left the compile cache: torch drops one when an object that
    it is about is gone.
    """

    backend_seconds: float = 0.0
    autotune_seconds: float = 0.0
    gc_seconds: float = 0.0
    guards: int = 0
    dropped: int = 0
    memory_before: int | None = None
    memory: int | None = None
    device_memory: int | None = None


@contextmanager
def readings(device: Device) -> Iterator[Readings]:
    """Measure a block; memory is read with garbage collected, outside of what is measured."""
    found = Readings(memory_before=resident())
    backend, autotune = seconds_spent(_BACKEND), seconds_spent(_AUTOTUNE)
    cached, began = cached_graphs(), time()
    with _collections() as spent:
        yield found
    found.gc_seconds = sum(spent)
    found.backend_seconds = max(0.0, seconds_spent(_BACKEND) - backend)
    found.autotune_seconds = max(0.0, seconds_spent(_AUTOTUNE) - autotune)
    made = guards_made(began)
    found.guards, found.dropped = sum(made), max(0, cached + len(made) - cached_graphs())
    found.memory, found.device_memory = resident(), device.memory()


@contextmanager
def _collections() -> Iterator[list[float]]:
    """Seconds of each run of Python's garbage collector in a block."""
    spent: list[float] = []
    started = perf_counter()

    def noted(phase: str, _: dict[str, int]) -> None:
        nonlocal started
        if phase == "start":
            started = perf_counter()
        else:
            spent.append(perf_counter() - started)

    gc.callbacks.append(noted)
    try:
        yield spent
    finally:
        gc.callbacks.remove(noted)
