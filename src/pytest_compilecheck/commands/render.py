"""`compilecheck render`: a report that was written as JSON, in another format."""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Final

from pytest_compilecheck.commands.refusal import refused
from pytest_compilecheck.commands.report_argument import add_report

ABOUT = "write a JSON report in another format"


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    from pytest_compilecheck.report.formats import FORMATS

    about = "; ".join(f"{name}: {each.about}" for name, each in FORMATS.items())
    about += "; or one of an installed package, which --help names"
    parser.formatter_class = _Help
    parser.add_argument_group("formats of installed packages", _INSTALLED)
    add_report(parser)
    parser.add_argument("--to", required=True, metavar="FORMAT", help=about)
    parser.add_argument(
        "-o", "--output", type=Path, metavar="PATH", help="the file to write (default: stdout)"
    )
    parser.add_argument(
        "--root",
        default=".",
        metavar="DIR",
        help="where relative paths of the report start, to show source (default: here)",
    )
    parser.add_argument(
        "--contract", metavar="ID", help="only this contract: an image has the charts of one"
    )
    parser.add_argument(
        "--top", type=_rows, metavar="N", help="rows of a table, 0 for all (default: 50 contracts)"
    )


_INSTALLED: Final = "what packages declare"


class _Help(argparse.HelpFormatter):
    """Looks for these formats only when the help is shown."""

    def add_text(self, text: str | None) -> None:
        """Add a text, or the formats where they are to be named."""
        from pytest_compilecheck.report.installed_formats import declared_text

        super().add_text(declared_text() if text == _INSTALLED else text)


def run(options: argparse.Namespace) -> int:
    """Run the command; gives its exit status, 2 for what cannot be read, made or written."""
    from pytest_compilecheck.files import as_utf8, write_whole
    from pytest_compilecheck.report.ci.repository import layout
    from pytest_compilecheck.report.document import only, read_report
    from pytest_compilecheck.report.format_failure import failure_text
    from pytest_compilecheck.report.installed_formats import (
        FormatError,
        chosen_format,
        overruled,
    )
    from pytest_compilecheck.report.wording import printable

    try:
        wanted = chosen_format(options.to)
    except FormatError as error:
        return refused(error)
    for note in overruled([options.to]):
        print(f"compilecheck: {printable(note)}", file=sys.stderr)
    shown = layout(options.root, os.environ, top=options.top)
    report = replace(read_report(options.report), layout=shown)
    if options.contract is not None:
        report = only(report, options.contract)
    try:
        told = wanted.render(report)
    except Exception as error:  # noqa: BLE001 - a renderer may be anybody's
        why = f"{type(error).__name__}: {error}"
        return refused(failure_text(options.to, wanted, error, why))
    if options.output is None:
        sys.stdout.buffer.write(told if isinstance(told, bytes) else as_utf8(told))
        return 0
    try:
        write_whole(options.output, told)
    except OSError as error:
        return refused(f"the {options.to} report could not be written: {error}")
    return 0


def _rows(text: str) -> int:
    from pytest_compilecheck.report.top import rows_of

    try:
        return rows_of(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text}: {error}") from None
