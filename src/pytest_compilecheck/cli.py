"""The `compilecheck` command."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence

from pytest_compilecheck.commands import (
    baseline,
    diff,
    init,
    merge,
    policies,
    render,
    schema,
    suggest,
    validate,
)
from pytest_compilecheck.commands.refusal import refused

COMMANDS = {
    command.__name__.rpartition(".")[2]: command
    for command in (init, validate, schema, suggest, render, merge, diff, baseline, policies)
}
"""The modules of the subcommands by name, in the order of the help."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; gives its exit status: 1 for faults, 2 for what cannot be read."""
    parser = argparse.ArgumentParser(prog="compilecheck", description=__doc__)
    parser.add_argument(
        "--version",
        action=_Versions,
        nargs=0,
        help="show what is installed, as a bug report needs it",
    )
    subparsers = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, command in COMMANDS.items():
        subparser = subparsers.add_parser(name, help=command.ABOUT)
        command.add_options(subparser)
        subparser.set_defaults(run=command.run)
    options = parser.parse_args(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):  # names may have what its encoding has not
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        status = _run(options)
        sys.stdout.flush()
    except BrokenPipeError:  # whoever reads has enough, as `head` has
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return status


class _Versions(argparse.Action):
    """Prints the versions of this package and of those that it works with, and ends the command."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import PackageNotFoundError, version

        told = [f"Python {sys.version.split()[0]}"]
        for package in ("pytest-compilecheck", "torch", "pytest"):
            try:
                told.append(f"{package} {version(package)}")
            except PackageNotFoundError:
                told.append(f"no {package}")
        print(", ".join(told))
        parser.exit()


def _run(options: argparse.Namespace) -> int:
    """The status of a command; 2 after a message where a report cannot be read."""
    from pytest_compilecheck.report.document import ReportError

    try:
        status: int = options.run(options)
    except ReportError as error:
        return refused(error)
    return status
