"""`compilecheck diff`: what differs between two reports."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

ABOUT = "compare two JSON reports: what got better, worse, appeared and went"


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("before", type=Path, metavar="A.json", help="the earlier report")
    parser.add_argument("after", type=Path, metavar="B.json", help="the later one")
    parser.add_argument("--json", action="store_true", help="write it as JSON")
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="show all that differs, not only what is worse"
    )


def run(options: argparse.Namespace) -> int:
    """Run the command; gives its exit status, 1 where something is worse."""
    from pytest_compilecheck.judge.comparison import compare
    from pytest_compilecheck.report.diff import diff_text
    from pytest_compilecheck.report.document import read_report

    diff = compare(read_report(options.before), read_report(options.after))
    if options.json:
        json.dump(diff.to_dict(), sys.stdout, indent=1)
        sys.stdout.write("\n")
    else:
        sys.stdout.write(diff_text(diff, verbose=options.verbose))
    return 1 if diff.worse else 0
