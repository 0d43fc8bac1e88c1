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
    parser.add_argument(
        "--torch",
        nargs="+",
        type=_release,
        default=[],
        metavar="RELEASE",
        help="releases such as 2.8 2.13: a bound by release must have one entry for each of them",
    )


def _release(text: str) -> str:
    from packaging.version import InvalidVersion, Version

    try:
        return str(Version(text))
    except InvalidVersion:
        why = f"{text!r} is no release of torch; write paths before --torch"
        raise argparse.ArgumentTypeError(why) from None


def run(options: argparse.Namespace) -> int:
    """Run the command; gives its exit status: 1 where a file has faults."""
    from pytest_compilecheck.contract.file.validate import check
    from pytest_compilecheck.report.wording import printable_lines

    checked = check(options.paths, options.torch)
    for told in (*checked.errors, *checked.notices):
        sys.stderr.write(f"{printable_lines(told)}\n")
    sys.stdout.write(f"{checked.summary()}\n")
    return 1 if checked.errors else 0
