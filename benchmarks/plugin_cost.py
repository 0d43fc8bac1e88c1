"""What the plugin costs those who use it little: its import, and 1,000 plain tests.

    python benchmarks/plugin_cost.py --rounds 15

Every measurement is a process of its own; with and without the plugin take turns.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from figures import Spread, print_table, ratios
from process import cpu_seconds

TESTS = 1000
IMPORT_TARGET = 5.0  # milliseconds
# Imported in any pytest run that gets as far as the plugin.
_IMPORT = """
import pytest
from time import {clock} as clock
started = clock()
import pytest_compilecheck.plugin
print((clock() - started) * 1e3)
"""
_WITHOUT, _WITH = ("-p", "no:compilecheck"), ()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=11, help="pytest runs of each kind")
    rounds = parser.parse_args().rounds
    head = ["clock", "import, ms", "minimum", f"< {IMPORT_TARGET}"]
    rows = [import_row(clock, 3 * rounds) for clock in ("process_time", "perf_counter")]
    print_table(f"Import of the plugin, {3 * rounds} fresh processes: median (range)", head, rows)
    head = ["run", "CPU, s", "minimum", "with / without", "added per test, us"]
    title = f"{TESTS} plain tests, {rounds} rounds: median (range)"
    print_table(title, head, plain_rows(rounds))


def import_row(clock: str, processes: int) -> list[str]:
    """Milliseconds to import the plugin, compiled to bytecode, where pytest is loaded."""
    command = [sys.executable, "-c", _IMPORT.format(clock=clock)]
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    taken = [
        float(subprocess.check_output(command, env=env))  # noqa: S603 - this interpreter
        for _ in range(1 + processes)
    ][1:]  # the first may compile it
    found = Spread.of(taken)
    verdict = "yes" if found.median < IMPORT_TARGET else "NO"
    return [clock, found.show(2), f"{found.low:.2f}", verdict]


def plain_rows(rounds: int) -> list[list[str]]:
    """CPU time of a file of tests without a contract, with the plugin and without it."""
    taken: dict[tuple[str, ...], list[float]] = {_WITHOUT: [], _WITH: []}
    with tempfile.TemporaryDirectory() as directory:
        tests = "".join(f"def test_{number}():\n    pass\n\n\n" for number in range(TESTS))
        Path(directory, "test_plain.py").write_text(tests, encoding="utf-8")
        _cpu_of_pytest(_WITHOUT, directory)  # writes the compiled test file
        kinds = list(taken)
        for _ in range(rounds):
            for kind in kinds:
                taken[kind].append(_cpu_of_pytest(kind, directory))
            kinds.reverse()
    bare, loaded = taken[_WITHOUT], taken[_WITH]
    added = f"{(min(loaded) - min(bare)) / TESTS * 1e6:.1f}"
    return [
        ["without the plugin", Spread.of(bare).show(3), f"{min(bare):.3f}", "", ""],
        [
            "with it",
            Spread.of(loaded).show(3),
            f"{min(loaded):.3f}",
            ratios(loaded, bare).show(3),
            added,
        ],
    ]


def _cpu_of_pytest(arguments: Sequence[str], directory: str) -> float:
    """CPU seconds, user and system, of a pytest run over a directory."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly"]
    return cpu_seconds([*command, *arguments], directory)


if __name__ == "__main__":
    main()
