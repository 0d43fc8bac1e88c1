"""Reads places, titles and ids out of what torch logs, by text alone."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass

import torch
from packaging.version import Version

_TORCH = os.path.dirname(torch.__file__) + os.sep
_FUZZ = os.path.dirname(__file__) + os.sep
_WATCHER = os.path.join("pytest_compilecheck", "observe", "")  # its hooks stand on the live stack
TELLS_IDS = Version(torch.__version__).release >= (2, 9)
"""Whether the texts have ids."""

_FRAME = re.compile(
    r'^ {2,3}File "(?P<file>.+)", line (?P<line>\d+), in (?P<name>.+)\n'
    r"(?:    (?P<code>\S.*)\n)?(?:    (?P<carets>[ ^~]+)$)?",
    re.MULTILINE,
)
_ID = re.compile(r"/gb/gb(\d+)\.html")
_TITLED = re.compile(
    r"^(?:.*(?:Graph Break Reason|Unsupported): )?(.+)\n"
    r"(?:  Higher Order Operator: .+\n)?  Explanation: ",
    re.MULTILINE,
)
_UNTITLED = re.compile(r"(?:Unsupported|Graph Break Reason): (.+)")
_BEHIND = re.compile(r"Graph Break Reason: .+:\n\n(.+)")  # what follows from it may stand first
_UNGUARDED = "Could not guard on data-dependent expression"
_BRANCH = "Data-dependent branching"
_IDS = {_BRANCH: "GB0170"} if TELLS_IDS else {}
_JUMP = re.compile(r'symbolic_convert\.py", line \d+, in inner\n +eval_result = ')
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

    The place is the innermost frame outside torch, `end` the innermost of all. `indent` is how far
    in the expression begins in its stripped line, None where the text has no carets (it then is the
    whole line, or this Python or torch does not know). `running` are the lines of all its frames.
    torch's counters leave out what is `uncounted`.
    """

    file: str
    line: int
    end: tuple[str, int]
    indent: int | None
    title: str
    gb_id: str | None
    skips: bool
    uncounted: bool
    running: frozenset[tuple[str, int]]


def broken(text: str, compiled: str = "") -> Broken | None:
    """A record, None for one that is no site by definition.

    `compiled` is the file of the code that torch was compiling: in a record the frames above it are
    not told from those inside it.
    """
    head = text.partition("\nTraceback (most recent call last):")[0]
    # Up to 2.9 only the exceptions below may say why, the first of them the root.
    titled = _TITLED.search(head) or _TITLED.search(text)
    root, gb_id = titled[1].strip() if titled else _untitled(text), _ID.search(head)
    if root.startswith(_OF_NO_SITE):
        return None
    stack = list(_FRAME.finditer(head))
    if not stack:
        return None
    frames = [m for m in stack if not _is_torch(m["file"])]
    frames = [m for m in frames if m["file"] != "<string>"] or frames
    last = frames[-1] if frames and not _only_in(compiled, stack) else stack[-1]
    carets = last["carets"]
    return Broken(
        file=last["file"],
        line=int(last["line"]),
        end=(stack[-1]["file"], int(stack[-1]["line"])),
        indent=len(carets) - len(carets.lstrip()) if carets else None,
        title=root,
        gb_id="GB" + gb_id[1] if gb_id else _IDS.get(root),
        running=frozenset((m["file"], int(m["line"])) for m in stack),
        uncounted=titled is None and "exc.UserError: " in text,
        skips=any(words in head for words in _SKIPS),
    )


def _untitled(text: str) -> str:
    """The root of a message without a title.

    The one of a `UserError` for a value that torch does not know has the expression in it. Where it
    was raised for a branch (`generic_jump` in `torch/_dynamo/symbolic_convert.py`) the same branch
    in a function compiled by itself breaks with a title and an id.
    """
    behind = _BEHIND.search(text)
    root = behind[1] if behind else title(text) or text.partition("\n")[0]
    if _UNGUARDED not in root:
        return root
    return _BRANCH if _JUMP.search(text) else _UNGUARDED


def _is_torch(file: str) -> bool:
    """Whether a frame is torch's, or of those who watch."""
    return file.startswith((_TORCH, _FUZZ)) or _WATCHER in file


def _only_in(compiled: str, stack: list[re.Match[str]]) -> bool:
    """Whether a record is of torch's own code, compiled by itself, with nobody else's inside it."""
    if not _is_torch(compiled):
        return False
    begins = max((i for i, m in enumerate(stack) if m["file"] == compiled), default=len(stack))
    return all(_is_torch(m["file"]) for m in stack[begins:])


def title(reason: str) -> str | None:
    """The root of a reason: its first title, or its line where it has no title."""
    found = _TITLED.search(reason) or _UNTITLED.search(reason)
    return found[1].strip() if found else None


def titles(reasons: Iterable[str]) -> frozenset[str]:
    """The roots of reasons as torch counts them, without those of no site by definition."""
    found = (title(reason) or reason.partition("\n")[0] for reason in reasons)
    return frozenset(each for each in found if not each.startswith(_OF_NO_SITE))


def plain_name(function: str) -> str:
    """The author's name of a function that torch resumes."""
    match = _RESUMED.match(function)
    return match[1] if match else function
