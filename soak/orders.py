"""The same contracts in random orders, and each alone: what they count must be the same."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from soak.counts import Counts, differing, of_tests, seconds, test_of
from soak.run import held


def orders(
    tests: Sequence[str], number: int, workers: int, folder: Path, at_most: float | None
) -> int:
    """Run them as they stand, then in random orders; 1 where a contract counts something else.

    `at_most`: only those that took no more seconds when they ran as they stand.
    """
    report = folder / "first.json"
    first, _ = held(["-p", "no:randomly", "-n", str(workers), *tests], report)
    print(f"{len(first)} records as they stand")
    if at_most is not None:
        tests = sorted(id_ for id_, taken in seconds(report).items() if taken <= at_most)
        first = of_tests(first, tests)
        print(f"of these {len(first)} of tests whose calls took at most {at_most:g} s")
    differ: set[str] = set()
    for seed in range(1, number + 1):
        started = time.monotonic()
        seen, summary = held(
            [*_shuffled(seed), "-n", str(workers), *tests], folder / f"{seed}.json"
        )
        differ |= _told(f"order {seed}", first, seen)
        print(f"order {seed}: {summary} ({time.monotonic() - started:.0f} s)", flush=True)
    return _conclude(differ)


def alone(tests: Sequence[str], folder: Path) -> int:
    """Run them together, then each in a process of its own; 1 where it counts something else."""
    first, _ = held(["-p", "no:randomly", *tests], folder / "first.json")
    ids = sorted(set(map(test_of, first)))
    print(f"{len(first)} records of {len(ids)} tests together")
    differ: set[str] = set()
    for at, each in enumerate(ids):
        seen, _ = held(["-p", "no:randomly", each], folder / f"{at}.json")
        differ |= _told("alone", of_tests(first, [each]), seen)
    return _conclude(differ)


def _shuffled(seed: int) -> list[str]:
    """pytest-randomly shuffles; it leaves the seeds of random numbers alone."""
    return [f"--randomly-seed={seed}", "--randomly-dont-reset-seed"]


def _told(where: str, expected: Counts, seen: Counts) -> set[str]:
    names = differing(expected, seen)
    for name in names:
        print(f"{where}: {name}\n  {expected.get(name)}\n  {seen.get(name)}")
    return set(names)


def _conclude(differ: set[str]) -> int:
    print("contracts that counted something else: " + (", ".join(sorted(differ)) or "none"))
    return 1 if differ else 0
