"""A watched call in processes that have collected few and many tests: it must not be slower.

    python benchmarks/many_tests.py --rounds 5

Every measurement is a process of its own; the numbers of tests take turns. All tests assert
something, one of them makes the calls. CPU time.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from figures import Spread, print_table, ratios
from process import cpu_seconds

OTHERS = (0, 1000, 6000)
PER_FILE = 20
_OTHER = """
def test_{0}():
    assert {0} == {0}
"""
_CALLS = """
from time import process_time

import torch


def check(x):
    assert x.dim() == 2
    return x * 2


def test_calls(compilecheck):
    x = torch.ones(2, 4)
    with compilecheck.watch():
        call = torch.compile(check, backend="eager")
        call(x)
        windows = []
        for _ in range(50):
            started = process_time()
            for _ in range(100):
                call(x)
            windows.append((process_time() - started) / 100)
    with open("taken", "w") as file:
        file.write(str(min(windows)))
"""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5, help="processes for each number of tests")
    rounds = parser.parse_args().rounds
    taken: dict[int, list[float]] = {others: [] for others in OTHERS}
    with tempfile.TemporaryDirectory() as directory:
        for others in OTHERS:
            _write(Path(directory, str(others)), others)
        for number in range(1 + rounds):  # the first writes what pytest rewrites
            for others in OTHERS:
                found = _call(Path(directory, str(others)))
                if number:
                    taken[others].append(found)
    rows = [
        [
            str(others),
            Spread.of([each * 1e6 for each in found]).show(1),
            ratios(found, taken[OTHERS[0]]).show(2),
        ]
        for others, found in taken.items()
    ]
    head = ["other tests", "a call, us", "to none"]
    print_table(f"Warm watched call, {rounds} processes each: median (range)", head, rows)


def _write(directory: Path, others: int) -> None:
    directory.mkdir()
    (directory / "test_calls.py").write_text(_CALLS, encoding="utf-8")
    for first in range(0, others, PER_FILE):
        tests = "".join(_OTHER.format(number) for number in range(first, first + PER_FILE))
        (directory / f"test_from_{first}.py").write_text(tests, encoding="utf-8")


def _call(directory: Path) -> float:
    """Seconds of CPU time for a call."""
    command = [sys.executable, "-m", "pytest", "-q", "--compilecheck", "-k", "test_calls"]
    cpu_seconds([*command, "-p", "no:randomly"], str(directory))
    return float((directory / "taken").read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
