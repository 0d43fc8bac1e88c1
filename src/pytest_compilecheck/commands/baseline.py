"""`compilecheck baseline`: holds a report against a baseline, or writes it, without torch."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from functools import partial
from pathlib import Path
from typing import get_args

from pytest_compilecheck.baseline.modes import IN_CI, Update, is_ci
from pytest_compilecheck.commands.refusal import refused
from pytest_compilecheck.commands.report_argument import add_report

ABOUT = "hold a JSON report against a baseline, or update the baseline from it"


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("baseline", type=Path, metavar="BASELINE.yaml", help="the baseline")
    add_report(parser)
    parser.add_argument(
        "--update",
        choices=get_args(Update),
        help="write the baseline: `new` adds, `tighten` lowers and drops, `all` also raises",
    )
    parser.add_argument("--in-ci", action="store_true", help="let --update write though CI is set")


def run(options: argparse.Namespace) -> int:
    """Run the command; gives its exit status.

    1 where something is new or worse, or may be, 2 where a file cannot be read or written.
    """
    from pytest_compilecheck.baseline.file import BaselineError

    if options.update and is_ci(os.environ) and not options.in_ci:
        return refused(f"--update {IN_CI.format('--in-ci')}")
    try:
        return _update(options) if options.update else _check(options)
    except BaselineError as error:
        return refused(error)


def _update(options: argparse.Namespace) -> int:
    from pytest_compilecheck.baseline.held import updated_from
    from pytest_compilecheck.baseline.store import update_file
    from pytest_compilecheck.baseline.told import changes_lines
    from pytest_compilecheck.report.document import read_report

    change = partial(updated_from, report=read_report(options.report), update=options.update)
    changes = update_file(options.baseline, change)
    sys.stdout.writelines(f"{line}\n" for line in changes_lines(changes, str(options.baseline)))
    return 0


def _check(options: argparse.Namespace) -> int:
    from pytest_compilecheck.baseline.file import read_baseline
    from pytest_compilecheck.baseline.held import gone, has_new, held
    from pytest_compilecheck.baseline.told import new_lines, standing, unclear_lines
    from pytest_compilecheck.report.document import read_report

    report, baseline = read_report(options.report), read_baseline(options.baseline)
    records = held(report, baseline)

    def command(update: Update) -> str:
        files = shlex.join([str(options.baseline), str(options.report)])
        return f"compilecheck baseline {files} --update {update}"

    unclear = unclear_lines(report)
    lines = new_lines(records, report.torch) + unclear
    lines += standing(baseline, records, report.torch, gone(baseline, report), command)
    sys.stdout.writelines(f"{line}\n" for line in lines)
    return 1 if any(map(has_new, records)) or unclear else 0
