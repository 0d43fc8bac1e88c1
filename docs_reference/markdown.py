"""Markdown of the pages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

COMMAND: Final = "python -m docs_reference"


def page(title: str, about: str, parts: Iterable[str]) -> str:
    """A page: its title, what it is about, and its parts, each a paragraph or more."""
    note = f"<!-- Written by `{COMMAND}` from the code: edit that, not this page. -->"
    return "\n\n".join([f"# {title}", note, about, *parts]) + "\n"


def code(text: str) -> str:
    """A code span; Markdown reads nothing in it."""
    ticks = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


# What is meant as code though no backticks are around it: options, names with an underscore.
_OPTION: Final = r"--[a-z][\w-]*(?:=\w+)?"
_NAME: Final = r"(?:\w+\.)*\w*[A-Za-z]_[A-Za-z]\w*(?:\.\w+)*(?:\(\))?(?![\w:/])"
_NAMED: Final = re.compile(rf"(?<![\w`/:.-])({_OPTION}|{_NAME})")


def prose(text: str) -> str:
    """Words of the code in which Markdown is to find nothing but code spans."""
    pieces = re.split(r"(`+[^`]+`+)", " ".join(text.split()))
    return "".join(piece if at % 2 else _without_markup(piece) for at, piece in enumerate(pieces))


def _without_markup(text: str) -> str:
    pieces = _NAMED.split(text)
    return "".join(code(piece) if at % 2 else _escaped(piece) for at, piece in enumerate(pieces))


def _escaped(text: str) -> str:
    # As an entity: not every Markdown takes a backslash before a "<".
    return re.sub(r"([\\*_\[\]])", r"\\\1", text).replace("<", "&lt;")


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are Markdown already; a pipe in them is no border."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, cells))} |" for cells in lines)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def fence(language: str, text: str, name: str = "") -> str:
    """A block of code; `name` says what it is, for the tests that run it."""
    head = f"{language} {name}".strip()
    return f"```{head}\n{text.rstrip()}\n```"


def sentence(text: str) -> str:
    """A phrase of the code as a sentence of its own."""
    whole = text[:1].upper() + text[1:] if text[:1].islower() and " " in text else text
    return whole if whole.endswith((".", ":")) else f"{whole}."
