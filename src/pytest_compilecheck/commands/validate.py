"""`compilecheck validate`: all faults of contract files."""

from __future__ import annotations

import argparse
import sys

ABOUT = "check contract files, without torch"


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument(
        "paths",
        nargs="+",
        metavar="PATH",
        help="a file, or a folder with *.contract.yaml or *.contract.yml files",
    )


def run(options: argparse.Namespace) -> int:
    """Run the command; gives its exit status: 1 where a file has faults."""
    from pytest_compilecheck.contract.file.validate import check
    from pytest_compilecheck.report.wording import printable_lines

    checked = check(options.paths)
    for told in (*checked.errors, *checked.notices):
        sys.stderr.write(f"{printable_lines(told)}\n")
    sys.stdout.write(f"{checked.summary()}\n")
    return 1 if checked.errors else 0
