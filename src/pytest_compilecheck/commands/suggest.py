"""`compilecheck suggest`: a start for contracts on a suite."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ABOUT = "write the decorators that hold what a JSON report saw"


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument(
        "report",
        type=Path,
        metavar="REPORT.json",
        help="a report that --compilecheck-json has written",
    )


def run(options: argparse.Namespace) -> int:
    """Run the command; gives its exit status."""
    from pytest_compilecheck.report.document import read_report
    from pytest_compilecheck.report.suggest import suggestions

    sys.stdout.write(suggestions(read_report(options.report)))
    return 0
