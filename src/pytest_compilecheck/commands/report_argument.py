"""The argument of commands that read a JSON report."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_report(parser: argparse.ArgumentParser) -> None:
    """Take the report as `report`."""
    parser.add_argument(
        "report",
        type=Path,
        metavar="REPORT.json",
        help="a report that --compilecheck-json has written",
    )
