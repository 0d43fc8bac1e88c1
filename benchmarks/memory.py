"""What contracts in one process leave in memory.

    python benchmarks/memory.py --contracts 200 --rounds 3

Two pytest processes take turns: one holds 200 contracts; one, without the plugin, makes the same
compiled calls and resets torch's compiler around them.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from figures import Spread, print_table

TARGET = 20.0  # MB more than without the plugin

_CONFTEST = """
import ctypes
import gc
import json
import os
import sys

import pytest

SAMPLES = {samples}
taken = []
tests = 0


def pytest_runtest_logfinish():
    global tests
    tests += 1
    if tests in SAMPLES:
        gc.collect()
        if sys.platform == "linux":  # what the allocator keeps for later is nobody's
            ctypes.CDLL(None).malloc_trim(0)
        with open("/proc/self/statm") as file:
            pages = int(file.read().split()[1])
        taken.append(pages * os.sysconf("SC_PAGE_SIZE") / 1e6)


def pytest_unconfigure():
    with open("memory.json", "w") as file:
        json.dump(taken, file)
"""

_MODEL = """
import torch
from torch import nn

model = nn.Sequential(nn.Linear(16, 16), nn.ReLU()).eval()


def run(x):
    y = model(x)
    torch._dynamo.graph_break()
    return (y + x).relu()
"""

_HELD = """
from model import run
from pytest_compilecheck import compile_contract
"""

_HELD_TEST = """
@compile_contract(
    max_graph_breaks=1, max_recompiles=1, shapes={{"x": "2 S 16"}}, dims={{"S": [4, 5]}}
)
def test_{number}(x):
    return run(x)
"""

_BARE = """
import torch
from model import run
"""

_BARE_TEST = """
def test_{number}():
    def test(x):
        return run(x)

    torch._dynamo.reset()
    compiled = torch.compile(test, backend="eager")
    for _ in range(2):
        for length in (4, 5):
            compiled(torch.randn(2, length, 16))
    torch._dynamo.reset()
"""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=3, help="pytest runs of each kind")
    parser.add_argument("--contracts", type=int, default=200)
    options = parser.parse_args()
    rounds, samples = options.rounds, samples_of(options.contracts)
    bare, held = [], []
    for _ in range(rounds):
        bare.append(resident_megabytes(_BARE, _BARE_TEST, samples, ("-p", "no:compilecheck")))
        held.append(resident_megabytes(_HELD, _HELD_TEST, samples, ("--compilecheck",)))
    rows = []
    for at, number in enumerate(samples):
        more = Spread.of([h[at] - b[at] for h, b in zip(held, bare, strict=True)])
        verdict = ("yes" if more.median <= TARGET else "NO") if number == samples[-1] else ""
        bare_text, held_text = (
            Spread.of([run[at] for run in runs]).show(1) for runs in (bare, held)
        )
        rows.append([str(number), bare_text, held_text, more.show(1), verdict])
    title = f"Resident memory in MB, {rounds} rounds: median (range)"
    head = ["after tests", "compile and reset", "contracts", "more", f"<= {TARGET:g}"]
    print_table(title, head, rows)


def samples_of(contracts: int) -> tuple[int, int, int]:
    """After how many tests memory is looked at."""
    return contracts // 10, contracts // 2, contracts


def resident_megabytes(
    head: str, test: str, samples: tuple[int, ...], arguments: Sequence[str]
) -> list[float]:
    """Resident memory of a pytest process after each number of tests in `samples`."""
    with tempfile.TemporaryDirectory() as directory:
        tests = head + "".join(test.format(number=number) for number in range(samples[-1]))
        files = {
            "conftest.py": _CONFTEST.format(samples=samples),
            "model.py": _MODEL,
            "test_compiled.py": tests,
        }
        for name, text in files.items():
            Path(directory, name).write_text(text, encoding="utf-8")
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:randomly", *arguments]
        done = subprocess.run(  # noqa: S603 - pytest on files made here
            command, cwd=directory, capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            raise RuntimeError(done.stdout[-2000:] + done.stderr[-2000:])
        taken = json.loads(Path(directory, "memory.json").read_text(encoding="utf-8"))
    return [float(value) for value in taken]


if __name__ == "__main__":
    main()
