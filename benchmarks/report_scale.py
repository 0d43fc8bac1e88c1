"""What the reports of a suite of 10,000 contracts cost.

    python benchmarks/report_scale.py

One process makes the records, then everything that a run makes of them: the summary for the
terminal, the JSON, Markdown and SARIF files. Another one reads the JSON report back.
"""

from __future__ import annotations

import argparse
import gc
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from figures import print_table

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from report.many import many_contracts

from pytest_compilecheck.files import write_whole
from pytest_compilecheck.judge.run_report import RunReport
from pytest_compilecheck.report.aside import aside_lines
from pytest_compilecheck.report.document import read_report
from pytest_compilecheck.report.formats import FORMATS
from pytest_compilecheck.report.table import summary_table

SECONDS, MEGABYTES = 3.0, 300.0  # targets for all that is written together
FILES = ("json", "markdown", "sarif")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--contracts", type=int, default=10_000, help="records of the report")
    parser.add_argument("--write", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--read", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.write is not None:
        measure_writing(options.contracts, options.write)
    elif options.read is not None:
        measure_reading(options.read)
    else:
        with tempfile.TemporaryDirectory() as directory:
            again = [sys.executable, __file__, f"--contracts={options.contracts}"]
            for step in (f"--write={directory}", f"--read={directory}/json"):
                subprocess.run([*again, step], check=True)  # noqa: S603 - this file


def measure_writing(contracts: int, directory: Path) -> None:
    """Everything that a run makes of its records."""
    report = many_contracts(contracts)
    gc.collect()  # else the collection that making them calls for falls to one of the reports
    made = peak_megabytes()
    rows = [["terminal", f"{seconds_of(lambda: terminal_text(report)):.2f}", ""]]
    for name in FILES:
        path = directory / name
        seconds = seconds_of(lambda: write_whole(path, FORMATS[name].render(report)))  # noqa: B023
        rows.append([name, f"{seconds:.2f}", f"{path.stat().st_size / 1e6:.1f}"])
    total, peak = sum(float(row[1]) for row in rows), peak_megabytes()
    met = total <= SECONDS and peak <= MEGABYTES
    rows.append(["together", f"{total:.2f}", ""])
    print_table(f"{contracts} contracts", ["what", "CPU seconds", "MB"], rows)
    print(f"peak {peak:.0f} MB, of which {made:.0f} MB for the records and the interpreter")
    print(f"<= {SECONDS:g} s and <= {MEGABYTES:g} MB: {'yes' if met else 'NO'}")


def measure_reading(path: Path) -> None:
    """Read a report back."""
    seconds = seconds_of(lambda: read_report(path))
    print(f"\nread back in {seconds:.2f} CPU seconds, peak {peak_megabytes():.0f} MB")


def terminal_text(report: RunReport) -> str:
    """What a run prints of its contracts at the end."""
    asides = [text for record in report.contracts for text, _ in aside_lines(record)]
    return "\n".join([summary_table(report.contracts), *asides])


def seconds_of(work: Callable[[], object]) -> float:
    """CPU time: it holds on a shared machine."""
    start = time.process_time()
    work()
    return time.process_time() - start


def peak_megabytes() -> float:
    """The most memory that this process had so far (Linux: kilobytes; macOS: bytes)."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1e6 if sys.platform == "darwin" else 1e3)


if __name__ == "__main__":
    main()
