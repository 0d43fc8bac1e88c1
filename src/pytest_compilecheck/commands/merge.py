"""`compilecheck merge`: one report of several machines that ran parts of a suite."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from pytest_compilecheck.commands.refusal import refused

ABOUT = "join the JSON reports of machines that ran parts of a suite"


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    add = parser.add_argument
    add("reports", nargs="+", type=Path, metavar="SHARD.json", help="the reports, in any order")
    add("-o", "--output", type=Path, required=True, metavar="OUT.json", help="where to write it")
    add("--mixed-torch", action="store_true", help="join reports of several releases of torch")
    add(
        "--worst",
        action="store_true",
        help="of a contract that two reports saw differently, take the worse",
    )


def run(options: argparse.Namespace) -> int:
    """Run the command; gives its exit status.

    1 where the reports lack a contract (what is there is written), 2 where they do not fit.
    """
    from pytest_compilecheck.files import write_whole
    from pytest_compilecheck.judge.merge import MergeError, merged
    from pytest_compilecheck.report.document import json_text, read_report
    from pytest_compilecheck.report.incomplete import incomplete_report_text
    from pytest_compilecheck.report.wording import plural, printable

    reports = [(str(path), read_report(path)) for path in options.reports]
    try:
        report = merged(reports, mixed_torch=options.mixed_torch, worst=options.worst)
        write_whole(options.output, json_text(report))
    except (MergeError, OSError) as error:
        return refused(error)
    told = [f"{options.output} is written: {plural(len(report.contracts), 'contract')}"]
    if "," in report.python:
        told.append(f"the reports are of different Pythons: {report.python}")
    told += [
        f"{name} is not complete itself: run its part to the end, or the merged report lacks it too"
        for name, each in reports
        if not each.complete
    ]
    if report.missing:
        told.append(incomplete_report_text(report, verbose=True))
    sys.stderr.write("".join(f"compilecheck: {printable(line)}\n" for line in told))
    return 0 if report.complete else 1
