"""What two workers of pytest-xdist make of a suite of contracts: time, and that they see the same.

    python benchmarks/parallel.py --contracts 200 --rounds 1

Every contract compiles a model of its own for about a second: work of the processor, no sleep.
The machine needs two cores with nothing else to do.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from figures import Spread, print_table, ratios

from pytest_compilecheck.judge.merge import TIMES

TARGET = 0.65
_SUITE = """
import pytest
import torch

from pytest_compilecheck import compile_contract


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = torch.nn.Linear(32, 64), torch.nn.Linear(64, 32)
        self.norm = torch.nn.LayerNorm(32)

    def forward(self, x):
        return x + self.second(torch.nn.functional.gelu(self.first(self.norm(x))))


@pytest.mark.parametrize("number", range({contracts}))
@compile_contract(
    compiles="model", shapes={{"x": [(2, 8, 32), (3, 8, 32)]}}, max_recompiles=1, threads=1
)
def test_model(model, number, x):
    model(x)


@pytest.fixture
def model():
    return torch.nn.Sequential(*(Layer() for _ in range({layers})))
"""


class Run(NamedTuple):
    """Seconds of a run, and its report without times."""

    seconds: float
    report: Any


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--contracts", type=int, default=200)
    parser.add_argument("--layers", type=int, default=10, help="of each model: its compile time")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=1)
    options = parser.parse_args()
    alone, apart = [], []
    with tempfile.TemporaryDirectory() as folder:
        text = _SUITE.format(contracts=options.contracts, layers=options.layers)
        Path(folder, "test_models.py").write_text(text, encoding="utf-8")
        for _ in range(options.rounds):
            alone.append(run(folder, 0))
            apart.append(run(folder, options.workers))
            if alone[-1].report != apart[-1].report:
                sys.exit("the reports differ in more than times")
    one, several = ([each.seconds for each in runs] for runs in (alone, apart))
    found = ratios(several, one)
    each = Spread.of([seconds / options.contracts for seconds in one])
    print_table(
        f"{options.contracts} contracts, wall time, {options.rounds} rounds: median (range)",
        ["-n 0, s", "a contract, s", f"-n {options.workers}, s", "ratio", f"<= {TARGET}"],
        [
            [
                Spread.of(one).show(1),
                each.show(2),
                Spread.of(several).show(1),
                found.show(3),
                "yes" if found.median <= TARGET else "NO",
            ]
        ],
    )


def run(folder: str, workers: int) -> Run:
    """One run of the suite, in processes of its own."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:randomly", "-p", "no:cacheprovider"]
    command += ["--compilecheck", "--compilecheck-json=report.json", f"-n{workers}"]
    started = time.perf_counter()
    done = subprocess.run(  # noqa: S603 - pytest on files made here
        command,
        cwd=folder,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        stdout=subprocess.DEVNULL,
        check=False,
    )
    seconds = time.perf_counter() - started
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}")
    report = Path(folder, "report.json").read_text("utf-8")
    return Run(seconds, json.loads(report, object_hook=_without_times))


def _without_times(data: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in data.items() if key not in TIMES}


if __name__ == "__main__":
    main()
