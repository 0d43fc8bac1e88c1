"""`compilecheck suggest`: a start for contracts on a suite."""

from __future__ import annotations

import argparse
import sys

from pytest_compilecheck.commands.report_argument import add_report

ABOUT = "write the decorators that hold what a JSON report saw"


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    add_report(parser)


def run(options: argparse.Namespace) -> int:
    """Run the command; gives its exit status."""
    from pytest_compilecheck.report.document import read_report
    from pytest_compilecheck.report.suggested.suggest import suggestions

    sys.stdout.write(suggestions(read_report(options.report)))
    return 0
