"""What --compilecheck-audit costs a suite that uses torch.compile, and that it changes no outcome.

    python benchmarks/audit_cost.py --directory einops-0.8.2 --rounds 3 einops/tests

Runs of the suite with and without the audit take turns; each is a process of its own. CPU time is
that of pytest and of all processes that it starts and waits for, such as a C++ compiler or the
workers of xdist; it holds on a machine that others use too.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from figures import Spread, print_table, ratios

TARGET = 1.10


@dataclass(frozen=True, slots=True)
class Run:
    """Seconds that a run of the suite took, and each of its tests with its outcome."""

    wall: float
    cpu: float
    outcomes: frozenset[tuple[str, str]]


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
    taken: dict[str, list[Run]] = {name: [] for name in kinds}
    for at in range(options.rounds):
        for name, arguments in sorted(kinds.items(), reverse=bool(at % 2)):
            taken[name].append(run(options.directory, [*arguments, *options.tests]))
    outcomes = {name: _outcomes_of(runs) for name, runs in taken.items()}
    changed = outcomes["audit"] ^ outcomes["without"]
    counts = Counter(outcome for _, outcome in outcomes["without"])
    rows = [
        *_rows("CPU", [run.cpu for run in taken["audit"]], [run.cpu for run in taken["without"]]),
        *_rows(
            "wall", [run.wall for run in taken["audit"]], [run.wall for run in taken["without"]]
        ),
        ["tests", ", ".join(f"{count} {outcome}" for outcome, count in counts.items()), ""],
        ["outcomes that differ", str(len({test for test, _ in changed})), ""],
    ]
    print_table(f"Audit, {options.rounds} rounds", ["figure", "value", f"<= {TARGET}"], rows)
    for test, outcome in sorted(changed):
        print(f"  {outcome:8} {test}")


def run(directory: Path, arguments: list[str]) -> Run:
    """Run pytest with these arguments in the directory."""
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch, "junit.xml")
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:randomly", "-p"]
        command += ["no:cacheprovider", f"--junitxml={report}", *arguments]
        started, used = perf_counter(), _children_cpu()
        subprocess.run(command, cwd=directory, capture_output=True, check=False)  # noqa: S603
        return Run(
            wall=perf_counter() - started,
            cpu=_children_cpu() - used,
            outcomes=frozenset(_outcomes(report)),
        )


def _children_cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _rows(clock: str, audit: list[float], without: list[float]) -> list[list[str]]:
    ratio = ratios(audit, without)
    return [
        [f"without, {clock} s", Spread.of(without).show(1), ""],
        [f"audit / without, {clock}", ratio.show(3), "yes" if ratio.median <= TARGET else "NO"],
    ]


def _outcomes_of(runs: list[Run]) -> frozenset[tuple[str, str]]:
    return frozenset().union(*(run.outcomes for run in runs))


def _outcomes(report: Path) -> list[tuple[str, str]]:
    found = []
    for case in ET.parse(report).iter("testcase"):  # noqa: S314 - pytest has just written it
        kinds = [child.tag for child in case if child.tag in ("failure", "error", "skipped")]
        test = f"{case.get('classname')}::{case.get('name')}"
        found.append((test, kinds[0] if kinds else "passed"))
    return found


if __name__ == "__main__":
    main()
