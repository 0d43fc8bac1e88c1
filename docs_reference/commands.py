"""The page of the `compilecheck` command."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Final

from docs_reference.docstring import docstring
from docs_reference.markdown import code, fence, page, prose, sentence, table
from pytest_compilecheck.cli import COMMANDS

_ABOUT: Final = "Of the command `compilecheck`; `compilecheck COMMAND --help` shows the same."


def commands_page() -> str:
    """The page."""
    index = table(
        ["command", "what it does"],
        [[f"[{code(name)}](#{name})", prose(each.ABOUT)] for name, each in COMMANDS.items()],
    )
    return page("Commands", _ABOUT, [index, *("\n\n".join(_section(name)) for name in COMMANDS)])


def _section(name: str) -> Iterator[str]:
    command = COMMANDS[name]
    parser = argparse.ArgumentParser(prog=f"compilecheck {name}", add_help=False)
    command.add_options(parser)
    yield f"## {name}"
    yield sentence(prose(command.ABOUT))
    if parser._actions:
        yield table(["argument", "meaning"], [_row(action) for action in parser._actions])
    if parser.epilog:
        _, _, shown = parser.epilog.partition("\n")
        lines = [line.removeprefix("  ") for line in shown.splitlines()]
        yield fence("shell", "\n".join(lines))
    yield docstring(command.run)


def _row(action: argparse.Action) -> list[str]:
    value = action.metavar or (action.dest.upper() if action.option_strings else action.dest)
    takes = f" {value}" if action.nargs != 0 else ""
    several = " ..." if action.nargs == "+" else ""
    if action.choices:
        takes = f" {'|'.join(map(str, action.choices))}"
    names = ", ".join(action.option_strings)
    assert action.help, f"{action.dest} of a command has no help"
    needed = " (needed)" if action.required and names else ""
    return [code(f"{names}{takes}{several}".strip()), prose(action.help) + needed]
