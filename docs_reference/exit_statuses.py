"""The page of the exit statuses."""

from __future__ import annotations

import inspect
from typing import Final

from docs_reference.markdown import code, page, prose, table
from pytest_compilecheck.cli import COMMANDS
from pytest_compilecheck.pytest_layer.ending.session import RecordSink

_ABOUT: Final = "What a run and each command exit with; 0 is success."
_WRONG: Final = "Wrong arguments, and a report that cannot be read, give 2 for every command."


def exit_statuses_page() -> str:
    """The page."""
    told = inspect.getdoc(RecordSink.pytest_sessionfinish)
    assert told
    rows = [[code(f"compilecheck {name}"), _statuses(name)] for name in COMMANDS]
    parts = ["## pytest", prose(told.partition("\n\n")[2]), "## Commands", _WRONG]
    return page("Exit statuses", _ABOUT, [*parts, table(["command", "exit status"], rows)])


def _statuses(name: str) -> str:
    """What the docstring of a command's `run` says of its status."""
    told = inspect.getdoc(COMMANDS[name].run)
    assert "exit status" in (told or ""), f"the docstring of {name} names no exit status"
    return prose(str(told).partition("its exit status")[2].lstrip(",.: \n") or "0")
