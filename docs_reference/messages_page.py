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
_WITHIN: Final = {
    "contract/": "a part of a fault of a contract",
    "judge/": "a part of why the test fails",
    "observe/values/cures.py": "the fix of a recompile",
    "observe/assembly/fallbacks.py": "the reason of a fallback",
    "observe/guards/fragile.py": "why a guard is fragile",
    "observe/guards/": "a value before or after, in a report",
    "observe/hooks/cudagraphs.py": "why a CUDA graph was recorded again",
    "observe/assembly/break_": "the reason of a graph break",
    "observe/assembly/cross_check.py": "a problem: no figure is certain, and the contract fails",
    "observe/": "in a report",
    "releases.py": "at the start of the run",
    "policies/": "in a report of policies",
    "replay/": "why a policy cannot be preferred",
    "pytest_layer/": "printed by the run",
    "plugin.py": "printed by the run",
    "baseline/": "printed at the end of the run",
    "report/": "in a report",
    "commands/": "printed by the command",
    "cli.py": "printed by the command",
    "": "a part of another message",
}
"""How texts of a file are told that are handed on; the first beginning of a path that fits."""

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
                parts += [f"### {file}", _table(file, found)]
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


def _table(file: str, messages: tuple[Message, ...]) -> str:
    within = next(way for start, way in _WITHIN.items() if file.startswith(start))
    rows = [[code(each.text), each.way or within] for each in messages]
    return table(["message", "how it is told"], rows)
