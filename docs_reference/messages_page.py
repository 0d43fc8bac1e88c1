"""The page of all messages."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import Final

import pytest_compilecheck
from docs_reference.markdown import code, page, table
from docs_reference.messages.find import Message, messages_of
from docs_reference.messages.ways import DRAWN

SOURCE: Final = Path(pytest_compilecheck.__file__).parent

_ABOUT: Final = """\
What the plugin and its command can say, collected from the source. What is put into a message
stands in braces. A fault of a contract comes with its field before it, its place and line of
source."""
_WITHIN: Final = "in a report, a note or another message"

GROUPS: Final = {
    "Contracts and contract files": ("contract/", "decorator.py"),
    "What a contract did not hold": ("judge/",),
    "What torch did": ("observe/", "releases.py"),
    "Shape policies": ("policies/", "replay/"),
    "Runs of pytest": ("pytest_layer/", "plugin.py"),
    "Baselines": ("baseline/",),
    "Reports": ("report/",),
    "Commands": ("commands/", "cli.py"),
    "Python": ("",),
}
"""Headings, each with the beginnings of the paths that stand under it; the first that fits."""


def messages_page() -> str:
    """The page."""
    parts: list[str] = []
    for heading in GROUPS:
        parts.append(f"## {heading}")
        for file, found in all_messages().items():
            if _group(file) == heading:
                parts += [f"### {file}", _table(found)]
    return page("Messages", _ABOUT, parts)


@cache
def all_messages() -> dict[str, tuple[Message, ...]]:
    """The messages of each file of the package that has some, by its path in it."""
    found: dict[str, tuple[Message, ...]] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        file = path.relative_to(SOURCE).as_posix()
        each = tuple(
            message
            for message in messages_of(ast.parse(path.read_text("utf-8")))
            if message.way or not file.startswith(DRAWN)
        )
        if each:
            found[file] = each
    return found


def _group(file: str) -> str:
    return next(name for name, starts in GROUPS.items() if file.startswith(starts))


def _table(messages: tuple[Message, ...]) -> str:
    rows = [[code(each.text), each.way or _WITHIN] for each in messages]
    return table(["message", "how it is told"], rows)
