"""What it costs to explain a recompile of a large model.

    python benchmarks/explain_cost.py --layers 250 --rounds 7

Times, in each round, the two pieces of work that a watch does for a recompile: finding out what
changed, and remembering what the new graph assumes.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from time import process_time
from typing import Any

import torch
from figures import Spread, print_table
from torch import nn

from pytest_compilecheck import watch
from pytest_compilecheck.observe.guards.explain import FrameGuards

TARGET = 20.0  # milliseconds for finding out what changed


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--layers", type=int, default=250, help="each has two parameters")
    parser.add_argument("--rounds", type=int, default=7, help="compiles and recompiles")
    options = parser.parse_args()
    torch.set_num_threads(1)
    model = nn.Sequential(*(nn.Linear(8, 8) for _ in range(options.layers))).eval()
    parameters = sum(1 for _ in model.parameters())
    explain: list[float] = []
    remember: list[float] = []
    whole: list[float] = []
    for _ in range(options.rounds):
        with timed("explain", explain), timed("compiled", remember):
            whole.append(recompile(model))
    rows = [
        _row("recompile, all of it", whole, ""),
        _row("finding out what changed", explain, f"<= {TARGET:g}"),
        _row("remembering what a graph assumes", remember, ""),
    ]
    title = f"torch {torch.__version__}, {parameters} parameters, ms CPU, {options.rounds} rounds"
    print_table(title, ["work", "median (range)", "target"], rows)


def recompile(model: nn.Module) -> float:
    """Seconds of CPU time of a call that recompiles, in a watch."""
    torch._dynamo.reset()
    with torch.no_grad(), watch() as seen:
        compiled = torch.compile(model, backend="eager")
        compiled(torch.zeros(4, 8))
        started = process_time()
        compiled(torch.zeros(5, 8))
        taken = process_time() - started
    (event,) = seen.observation.recompile_events
    assert event.cause == "shape", event
    return taken


class timed:  # noqa: N801 - reads as a function
    """While it is entered, notes how long each call of a method of FrameGuards takes."""

    def __init__(self, method: str, taken: list[float]) -> None:
        self._method = method
        self._taken = taken
        self._original: Callable[..., Any] = getattr(FrameGuards, method)

    def __enter__(self) -> None:
        def measured(*args: Any) -> Any:
            started = process_time()
            try:
                return self._original(*args)
            finally:
                self._taken.append(process_time() - started)

        setattr(FrameGuards, self._method, measured)

    def __exit__(self, *_: object) -> None:
        setattr(FrameGuards, self._method, self._original)


def _row(name: str, seconds: list[float], target: str) -> list[str]:
    spread = Spread.of([each * 1000 for each in seconds])
    return [name, spread.show(1), target]


if __name__ == "__main__":
    main()
