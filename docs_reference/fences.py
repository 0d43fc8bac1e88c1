"""A hook of mkdocs: code blocks with what they are in the pages' own way, ```python file=model.py.

Superfences takes such a line for text. The name of a file becomes the block's title; other names
are for the tests alone.
"""

from __future__ import annotations

import re
from typing import Final

_FENCE: Final = re.compile(r"^(?P<ticks> *```)(?P<language>\w+) (?P<name>\S+)$", re.MULTILINE)


def on_page_markdown(markdown: str, **_: object) -> str:
    """The text of a page as superfences reads it."""
    return _FENCE.sub(_as_superfences, markdown)


def _as_superfences(found: re.Match[str]) -> str:
    fence = f"{found['ticks']}{found['language']}"
    if not found["name"].startswith("file="):
        return fence
    return f'{fence} title="{found["name"].removeprefix("file=")}"'
