"""A docstring in the way of this project as Markdown."""

from __future__ import annotations

import inspect
import re
from typing import Final

from docs_reference.markdown import code, prose

_HEADING: Final = re.compile(r"(Args|Attributes|Returns|Raises):")
_ITEM: Final = re.compile(r"(\*{0,2}[\w.]+): (.*)", re.DOTALL)


def docstring(thing: object) -> str:
    """What a thing says of itself; arguments and errors as lists below their heading."""
    text = inspect.getdoc(thing)
    assert text, thing
    paragraphs, told = text.split("\n\n"), []
    for paragraph in paragraphs:
        head, _, rest = paragraph.partition("\n")
        found = _HEADING.fullmatch(head)
        told.append(_section(found[1], rest) if found else prose(paragraph))
    return "\n\n".join(told)


def _section(heading: str, body: str) -> str:
    items = re.split(r"\n(?=\S)", inspect.cleandoc(body))
    lines = []
    for item in items:
        found = _ITEM.fullmatch(item) if heading != "Returns" else None
        lines.append(f"- {code(found[1])}: {prose(found[2])}" if found else f"- {prose(item)}")
    return f"**{heading}**\n\n" + "\n".join(lines)
