"""The `compilecheck` command."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

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
        status: int = options.run(options)
        sys.stdout.flush()
    except BrokenPipeError:  # whoever reads has enough, as `head` has
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return status


def _suggest(options: argparse.Namespace) -> int:
    from pytest_compilecheck.report.suggest import suggestions

    report = _read(options.report)
    if report is None:
        return 2
    sys.stdout.write(suggestions(report))
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


def _read(path: Path) -> dict[str, Any] | None:
    """A report; None after a message where the file is none."""
    from pytest_compilecheck.report.document import SCHEMA

    try:
        report = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        sys.stderr.write(f"compilecheck: {path} cannot be read: {error}\n")
        return None
    if not isinstance(report, dict) or report.get("schema") != SCHEMA:
        sys.stderr.write(
            f"compilecheck: {path} is no report of this version ({SCHEMA}): write one with"
            " pytest --compilecheck --compilecheck-json=PATH\n"
        )
        return None
    return report
