"""What --compilecheck-audit costs a suite that uses torch.compile, and that it changes no outcome.

    python benchmarks/audit_cost.py --directory einops-0.8.2 --rounds 3 einops/tests

Runs of the suite with and without the audit take turns; each is a process of its own.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path
from time import perf_counter

from figures import Spread, print_table, ratios

TARGET = 1.10


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--directory", type=Path, default=Path(), help="where to run pytest")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each kind")
    parser.add_argument("tests", nargs="+", help="what pytest is given")
    options = parser.parse_args()
    kinds: dict[str, list[str]] = {
        "without": ["-p", "no:compilecheck"],
        "audit": ["--compilecheck-audit"],
    }
    taken: dict[str, list[float]] = {name: [] for name in kinds}
    outcomes: dict[str, set[tuple[str, str]]] = {name: set() for name in kinds}
    for at in range(options.rounds):
        for name, arguments in sorted(kinds.items(), reverse=bool(at % 2)):
            seconds, found = run(options.directory, [*arguments, *options.tests])
            taken[name].append(seconds)
            outcomes[name] |= found
    ratio = ratios(taken["audit"], taken["without"])
    changed = outcomes["audit"] ^ outcomes["without"]
    rows = [
        ["without, s", Spread.of(taken["without"]).show(1), ""],
        ["audit / without, wall", ratio.show(3), "yes" if ratio.median <= TARGET else "NO"],
        ["tests", str(len({test for test, _ in outcomes["without"]})), ""],
        ["outcomes that differ", str(len({test for test, _ in changed})), ""],
    ]
    print_table(f"Audit, {options.rounds} rounds", ["figure", "value", f"<= {TARGET}"], rows)
    for test, outcome in sorted(changed):
        print(f"  {outcome:8} {test}")


def run(directory: Path, arguments: list[str]) -> tuple[float, set[tuple[str, str]]]:
    """Wall seconds of a run, and each test with its outcome."""
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch, "junit.xml")
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:randomly", "-p"]
        command += ["no:cacheprovider", f"--junitxml={report}", *arguments]
        started = perf_counter()
        subprocess.run(command, cwd=directory, capture_output=True, check=False)  # noqa: S603
        seconds = perf_counter() - started
        return seconds, set(_outcomes(report))


def _outcomes(report: Path) -> list[tuple[str, str]]:
    found = []
    for case in ET.parse(report).iter("testcase"):  # noqa: S314 - pytest has just written it
        kinds = [child.tag for child in case if child.tag in ("failure", "error", "skipped")]
        test = f"{case.get('classname')}::{case.get('name')}"
        found.append((test, kinds[0] if kinds else "passed"))
    return found


if __name__ == "__main__":
    main()
