"""The pages of docs/, and what they show."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from pytest_layer.projects import Project

DOCS = Path(__file__).parents[2] / "docs"

_FENCE = re.compile(
    r"(?:^<!-- not run: (?P<why>[^\n]+) -->\n\n?)?"
    r"^```(?P<language>\w+)(?: (?P<name>\S+))?\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Fence:
    """A fenced block: its language, what it says that it is ("" where nothing), and its text.

    `why_not_run` is the reason in a comment above it: `<!-- not run: it needs a GPU -->`.
    """

    line: int
    language: str
    name: str
    text: str
    why_not_run: str


def fences(page: str) -> list[Fence]:
    """The fenced blocks of a page of docs/, or of "../README.md"."""
    text = (DOCS / page).read_text("utf-8")
    return [
        Fence(
            line=text.count("\n", 0, found.start("language")) + 1,
            language=found["language"],
            name=found["name"] or "",
            text=found["text"],
            why_not_run=found["why"] or "",
        )
        for found in _FENCE.finditer(text)
    ]


def blocks(page: str) -> dict[str, str]:
    """The fenced blocks of a page that say what they are: "file=model.py", "output"."""
    found = [(each.name, each.text) for each in fences(page) if each.name]
    assert len(dict(found)) == len(found)
    return dict(found)


def written(page: str, project: Project) -> dict[str, str]:
    """The blocks of a page, whose files are put into a project."""
    found = blocks(page)
    for name, text in found.items():
        if name.startswith("file="):
            project.file(name.removeprefix("file="), text)
    return found


def lines(block: str) -> list[str]:
    """The lines of an output; where it says [...] there is more."""
    return [line.replace("[...]", "*") for line in block.splitlines() if line != "[...]"]


def blocks_in(page: str, language: str) -> list[str]:
    """The fenced blocks of a page in a language, such as "yaml", in order."""
    found = [each.text for each in fences(page) if each.language == language]
    assert found
    return found


def patched(text: str, diff: str) -> str:
    """A text in which the lines of a block ```diff are changed as it says."""
    old, new = (
        "".join(line[1:] for line in diff.splitlines(keepends=True) if line[0] in kept)
        for kept in (" -", " +")
    )
    assert text.count(old) == 1
    return text.replace(old, new)
