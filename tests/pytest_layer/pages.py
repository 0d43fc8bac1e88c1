"""The pages of docs/, and what they show."""

from __future__ import annotations

import re
from pathlib import Path

from pytest_layer.projects import Project

DOCS = Path(__file__).parents[2] / "docs"


def blocks(page: str) -> dict[str, str]:
    """The fenced blocks of a page that say what they are: "file=model.py", "output"."""
    text = (DOCS / page).read_text("utf-8")
    found = re.findall(r"^```\w+ (\S+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
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
    text = (DOCS / page).read_text("utf-8")
    found = re.findall(rf"^```{language}\b[^\n]*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert found
    return [str(block) for block in found]
