"""What watching costs: time of a compile, and microseconds on a warm call.

    python benchmarks/watch_cost.py --rounds 9 --backend eager --backend inductor

Bare and watched runs take turns in one process, so that what else the machine does meets both.
"""

from __future__ import annotations

import argparse
import gc
import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from time import perf_counter, process_time

import torch
from decoder import VOCABULARY, Decoder
from figures import Spread, print_table, ratios

from pytest_compilecheck import watch
from pytest_compilecheck.observe.as_written import AsWritten
from pytest_compilecheck.observe.watch import Watch

PROMPTS = (16, 24)  # tokens: the second length makes one recompile
COMPILE_TARGET = 1.05
WARM_TARGET = 2.0  # microseconds, for a region of one graph
WINDOWS = 10  # in each opened watch; short ones, which other programs may leave undisturbed

Surroundings = Callable[[], AbstractContextManager[object]]


def main() -> None:
    """Measure and print."""
    options = _options()
    torch.set_num_threads(1)
    print(f"torch {torch.__version__}")
    rows = [row for backend in options.backend for row in compile_rows(backend, options.rounds)]
    head = ["backend", "clock", "bare, s", "watched / bare", "minima", f"<= {COMPILE_TARGET}"]
    title = f"Compile of the decoder, {options.rounds} rounds: median (range)"
    print_table(title, head, rows)
    rows = [row for name, region in _REGIONS for row in warm_rows(name, region, options)]
    windows = options.repeats * WINDOWS
    title = f"Warm call, CPU time: minimum of {windows} windows of {options.calls} calls"
    head = ["region", "watch", "bare, us", "added, us", f"<= {WARM_TARGET}"]
    print_table(title, head, rows)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--backend", action="append", choices=["eager", "inductor"])
    parser.add_argument("--rounds", type=int, default=9, help="compiles of each kind")
    parser.add_argument("--repeats", type=int, default=40, help="watches opened for warm calls")
    parser.add_argument("--calls", type=int, default=300, help="warm calls in one window")
    options = parser.parse_args()
    options.backend = options.backend or ["eager"]
    return options


# The compile.


def compile_rows(backend: str, rounds: int) -> list[list[str]]:
    """CPU and wall time of watched compiles against bare ones."""
    model = Decoder().eval()
    compile_once(model, backend, nullcontext)  # imports and first-time set-up
    kinds: list[Surroundings] = [nullcontext, watch]
    taken: dict[Surroundings, list[tuple[float, float]]] = {kind: [] for kind in kinds}
    for _ in range(rounds):
        for kind in kinds:
            taken[kind].append(compile_once(model, backend, kind))
        kinds.reverse()
    rows = []
    for clock, name in enumerate(("CPU", "wall")):
        bare, watched = ([pair[clock] for pair in taken[kind]] for kind in (nullcontext, watch))
        ratio = ratios(watched, bare)
        verdict = "yes" if ratio.median <= COMPILE_TARGET else "NO"
        minima = f"{min(watched) / min(bare):.3f}"
        rows.append([backend, name, Spread.of(bare).show(2), ratio.show(3), minima, verdict])
    return rows


def compile_once(model: Decoder, backend: str, around: Surroundings) -> tuple[float, float]:
    """CPU and wall seconds to compile the decoder for two prompt lengths and run it.

    Opening and closing the watch is part of it. CPU time is this process's, without the C++
    compiler that Inductor starts.
    """
    prompts = [torch.randint(VOCABULARY, (1, length)) for length in PROMPTS]
    torch._dynamo.reset()
    gc.collect()
    with torch.no_grad(), _empty_caches(backend):
        cpu, wall = process_time(), perf_counter()
        with around():
            compiled = torch.compile(model, backend=backend)
            for prompt in prompts:
                compiled(prompt)
        taken = process_time() - cpu, perf_counter() - wall
    torch._dynamo.reset()
    return taken


def _empty_caches(backend: str) -> AbstractContextManager[object]:
    """For Inductor: its caches on disk would turn the second compile into a look-up."""
    if backend != "inductor":
        return nullcontext()
    import torch._inductor.config
    from torch._inductor.utils import fresh_cache

    torch._inductor.config.compile_threads = 1
    return fresh_cache()


# Warm calls.


def one_graph(x: torch.Tensor) -> torch.Tensor:
    """A region of one graph."""
    return torch.relu(x) + 1


def three_graphs(x: torch.Tensor) -> torch.Tensor:
    """A region that two breaks cut in three graphs."""
    x = torch.relu(x) + 1
    torch._dynamo.graph_break()
    x = x * 2
    torch._dynamo.graph_break()
    return x - 1


_REGIONS = (("1 graph", one_graph), ("3 graphs, 2 breaks", three_graphs))


def _contract_watch() -> Watch:
    """The watch as a contract opens it: functions that pytest rewrote run as written."""
    return Watch(os.getcwd(), around=AsWritten())


_WATCHES: tuple[tuple[str, Surroundings], ...] = (
    ("none", nullcontext),
    ("watch()", watch),
    ("contract", _contract_watch),
)


def warm_rows(
    name: str, region: Callable[[torch.Tensor], torch.Tensor], options: argparse.Namespace
) -> list[list[str]]:
    """What each kind of watch adds to a call in which nothing is compiled."""
    torch._dynamo.reset()
    x = torch.zeros(4)
    compiled = torch.compile(region, backend="eager")
    compiled(x)
    best = {kind: float("inf") for kind, _ in _WATCHES}
    for _ in range(options.repeats):
        for kind, around in _WATCHES:
            with around():
                windows = [_microseconds(compiled, x, options.calls) for _ in range(WINDOWS)]
            best[kind] = min(best[kind], *windows)
    bare = best["none"]
    rows = []
    for kind, _ in _WATCHES[1:]:
        added = best[kind] - bare
        verdict = "" if region is not one_graph else "yes" if added <= WARM_TARGET else "NO"
        rows.append([name, kind, f"{bare:.2f}", f"{added:.2f}", verdict])
    return rows


def _microseconds(
    compiled: Callable[[torch.Tensor], torch.Tensor], x: torch.Tensor, calls: int
) -> float:
    repeats: Sequence[None] = [None] * calls
    started = process_time()
    for _ in repeats:
        compiled(x)
    return (process_time() - started) / calls * 1e6


if __name__ == "__main__":
    main()
