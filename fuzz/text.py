"""Reads places, titles and ids out of what torch logs, by text alone."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

import torch

_NOBODY = (
    os.path.dirname(torch.__file__) + os.sep,
    os.path.dirname(__file__) + os.sep,
)
_WATCHER = os.path.join("pytest_compilecheck", "observe", "")  # its hooks stand on the live stack
_FRAME = re.compile(
    r'^ {2,3}File "(?P<file>.+)", line (?P<line>\d+), in .+\n'
    r"(?:    (?P<code>\S.*)\n)?(?:    (?P<carets>[ ^~]+)$)?",
    re.MULTILINE,
)
_ID = re.compile(r"/gb/gb(\d+)\.html")
_TITLED = re.compile(r"^(?:.*(?:Graph Break Reason|Unsupported): )?(.+)\n  Explanation: ", re.MULTILINE)
_UNTITLED = re.compile(r"(?:Unsupported|Graph Break Reason): (.+)")
_RESUMED = re.compile(r"^(?:torch_dynamo_resume_in_)+(.+?)(?:_at_\d+)+$")
_OF_NO_SITE = (
    "Dynamo recompile limit exceeded",  # a fallback
    "Attempt to trace generator",  # a fallback
    "Unsupported functorch tracing attempt",
)
_SKIPS = ("Skipping the function and falling back to eager", "skipping the rest of the function",
          "Graph break: skip:", "which results in a skip")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Broken:
    """One graph break record: where, why.

    `indent` is how far in the expression begins in its stripped line, None where the text has no
    carets (it then is the whole line, or this Python or torch does not know).
    """

    file: str
    line: int
    indent: int | None
    title: str
    gb_id: str | None
    skips: bool


def broken(text: str) -> Broken | None:
    """A record, None for one that is no site by definition or has no frame outside torch."""
    head = text.partition("\nTraceback (most recent call last):")[0]
    titled = _TITLED.search(head) or _UNTITLED.search(head)
    title = titled[1].strip() if titled else head.partition("\n")[0]
    if title.startswith(_OF_NO_SITE):
        return None
    frames = [m for m in _FRAME.finditer(head) if not m["file"].startswith(_NOBODY)]
    frames = [m for m in frames if _WATCHER not in m["file"]]
    frames = [m for m in frames if m["file"] != "<string>"] or frames
    if not frames:
        return None
    last = frames[-1]
    carets = last["carets"]
    gb_id = _ID.search(head)
    return Broken(
        file=last["file"],
        line=int(last["line"]),
        indent=len(carets) - len(carets.lstrip()) if carets else None,
        title=title,
        gb_id="GB" + gb_id[1] if gb_id else None,
        skips=any(words in head for words in _SKIPS),
    )


def plain_name(function: str) -> str:
    """The author's name of a function that torch resumes."""
    match = _RESUMED.match(function)
    return match[1] if match else function
