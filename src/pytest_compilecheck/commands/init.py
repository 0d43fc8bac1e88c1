"""`compilecheck init`: runs a model once and writes the contract file that holds what was seen."""

from __future__ import annotations

import argparse
import linecache
import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Literal

from pytest_compilecheck.commands.refusal import refused
from pytest_compilecheck.commands.running import run_pytest
from pytest_compilecheck.commands.target_options import (
    add_target_options,
    target_document,
    target_fields,
)
from pytest_compilecheck.contract.faults import ContractError
from pytest_compilecheck.contract.file.find import SUFFIX
from pytest_compilecheck.contract.file.load import load_contracts
from pytest_compilecheck.contract.file.options import OptionError

ABOUT = "run a model once and write the contract file that holds what was seen"
_SCHEMA = "contract.schema.json"
_ONE_CONTRACT = "init writes one contract: give no matrix, and no name that begins with _"
_EXAMPLE = """\
example:
  compilecheck init transformers:BertModel \\
    --arguments '{config: {make: "transformers:BertConfig", arguments: {hidden_size: 64}}}' \\
    --inputs 'input_ids=B S:int64:<1000' --dims B=2 S=128,129,256 \\
    -o contracts/bert.contract.yaml
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command. Those that take YAML take what a contract file has there."""
    parser.epilog = _EXAMPLE
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add = parser.add_argument
    add("target", metavar="package.module:attr", help="a model's class or factory, or a function")
    add_target_options(parser)
    add("-o", "--output", type=Path, metavar="FILE", help="where to write it (default: stdout)")
    add("--force", action="store_true", help="overwrite the file")


def run(options: argparse.Namespace) -> int:
    """Run the command; gives its exit status.

    1 where nothing was seen that a contract could hold, 2 where the model cannot be run.
    """
    output: Path | None = options.output
    if output is not None and output.suffix not in (".yaml", ".yml"):
        return refused(f"{output} is no name of a contract file: give e.g. {output}{SUFFIX}")
    if output is not None and output.exists() and not options.force:
        return refused(f"{output} is there already: give another name, or --force")
    folder = "" if output is None else str(output.parent)
    # Paths in the file start from its folder.
    file = os.path.join("" if folder == "." else folder, "<options>")
    try:
        text = target_document(options, target_fields(options))
    except OptionError as error:
        return refused(str(error))
    data = text.encode(errors="surrogateescape")
    with _shown_in_messages(file, data):
        try:
            count = len(load_contracts(file, data).contracts)
        except ContractError as error:
            return refused(str(error))
        if count != 1:
            return refused(_ONE_CONTRACT)
        made, status = _run(file, data, output)
    if made is None or output is None:
        sys.stdout.write(made or "")
        return status
    return _write(_schema_line(output) + made, output, "w" if options.force else "x")


def _run(file: str, data: bytes, output: Path | None) -> tuple[str | None, int]:
    """The file that holds what was seen, None after a message; and the exit status."""
    from pytest_compilecheck.pytest_layer.running.init_run import FAILED, InitRun

    run = InitRun(file, data)
    folder = output.parent if output is not None and output.parent.is_dir() else Path()
    with redirect_stdout(sys.stderr):  # a model may print
        run_pytest([str(folder)], [run])
    if run.error is not None:
        refused(run.error)
    # pytest has told of an error in the project's settings or conftest.py.
    return run.text, 0 if run.text is not None else run.error.status if run.error else FAILED


def _schema_line(output: Path) -> str:
    """The line by which an editor finds the schema, where that lies in a folder above the file."""
    here, folder = Path.cwd(), (Path.cwd() / output).parent
    for place in (folder, *folder.parents):
        if not place.is_relative_to(here):
            break
        schema = place / _SCHEMA
        if schema.is_file():
            path = os.path.relpath(schema, folder).replace(os.sep, "/")
            return f"# yaml-language-server: $schema={path}\n"
    return ""


def _write(text: str, output: Path, mode: Literal["w", "x"]) -> int:
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        with output.open(mode, encoding="utf-8", newline="\n") as file:
            file.write(text)
    except OSError as error:
        return refused(f"{output} cannot be written: {error.strerror or error}")
    command = f"python -m pytest --compilecheck {shlex.quote(str(output))}"
    sys.stderr.write(f"{output} is written; hold it with\n  {command}\n")
    return 0


@contextmanager
def _shown_in_messages(file: str, data: bytes) -> Iterator[None]:
    """Let faults show the lines of a file that is not on disk."""
    lines = data.decode(errors="replace").splitlines(keepends=True)
    linecache.cache[file] = (len(data), None, lines, file)
    try:
        yield
    finally:
        linecache.cache.pop(file, None)
