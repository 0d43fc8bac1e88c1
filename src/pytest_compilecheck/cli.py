"""The `compilecheck` command."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from pytest_compilecheck import init


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; gives its exit status: 1 for faults, 2 for what cannot be read."""
    parser = argparse.ArgumentParser(prog="compilecheck", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    suggest = commands.add_parser(
        "suggest", help="write the decorators that hold what a JSON report saw"
    )
    suggest.add_argument("report", type=Path, metavar="REPORT.json")
    suggest.set_defaults(run=_suggest)
    validate = commands.add_parser("validate", help="check contract files, without torch")
    validate.add_argument(
        "paths", nargs="+", metavar="PATH", help="a file, or a folder with *.contract.yaml files"
    )
    validate.set_defaults(run=_validate)
    schema = commands.add_parser("schema", help="write the JSON schema of contract files")
    schema.set_defaults(run=_schema)
    start = commands.add_parser(
        "init", help="run a model once and write the contract file that holds what was seen"
    )
    init.add_options(start)
    start.set_defaults(run=init.run)
    options = parser.parse_args(arguments)
    try:
        status: int = _run(options)
        sys.stdout.flush()
    except BrokenPipeError:  # whoever reads has enough, as `head` has
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return status


def _run(options: argparse.Namespace) -> int:
    """The status of a command; 2 after a message where a report cannot be read."""
    from pytest_compilecheck.report.document import ReportError

    try:
        status: int = options.run(options)
    except ReportError as error:
        sys.stderr.write(f"compilecheck: {error}\n")
        return 2
    return status


def _suggest(options: argparse.Namespace) -> int:
    from pytest_compilecheck.report.document import read_report
    from pytest_compilecheck.report.suggest import suggestions

    sys.stdout.write(suggestions(read_report(options.report)))
    return 0


def _validate(options: argparse.Namespace) -> int:
    from pytest_compilecheck.contract.file.validate import check

    checked = check(options.paths)
    for error in checked.errors:
        sys.stderr.write(f"{error}\n")
    sys.stdout.write(f"{checked.summary()}\n")
    return 1 if checked.errors else 0


def _schema(_: argparse.Namespace) -> int:
    from pytest_compilecheck.contract.file.schema import schema

    json.dump(schema(), sys.stdout, indent=2)
    sys.stdout.write("\n")
    return 0
