"""Reads the text of torch's graph break records, releases 2.8 to 2.15."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from pytest_compilecheck.observe.reason_text import without_addresses

_LINK = re.compile(r"https://\S+?/gb/gb(\d+)\.html")
# What runs in `checkpoint` or `cond` is named between the title and its explanation.
_EXPLAINED = r"\n(?:  Higher Order Operator: .*\n)?  Explanation: "
_TITLE = re.compile(rf"^(?P<title>.*){_EXPLAINED}", re.MULTILINE)
_USER_EXCEPTION = re.compile(rf"Observed exception{_EXPLAINED}")
_FIELD = re.compile(r"^  (?P<name>Explanation|Hint|Developer debug context): ", re.MULTILINE)
# Old messages are one line: "Unsupported: <reason>" or "Graph Break Reason: <reason>".
_PLAIN = re.compile(r"(?:Unsupported|Graph Break Reason): (?P<reason>.+)")
# What follows from a reason may stand before it, also where the reason has no title.
_BEHIND = re.compile(r"Graph Break Reason: .+:\n\n(?P<reason>.+)")
# Code that needs the value of a size or scalar that torch captured: an error without title or id.
# Where it needs it to branch the same code, compiled by itself, breaks with the title
# (`generic_jump` in torch/_dynamo/symbolic_convert.py).
_UNGUARDED = "Could not guard on data-dependent expression"
_BRANCHES = re.compile(r", in inner\n +eval_result = value\.evaluate_expr\(")
_BRANCH = "Data-dependent branching"
_HEADS = ("Graph Break Reason: ", "Unsupported: ", "Reason: ")
_DOCS = "https://meta-pytorch.github.io/compile-graph-break-site/gb/{}.html"

SKIPS_FUNCTION = "Skipping the function and falling back to eager"
SKIPS_REST = "skipping the rest of the function"
_OLD_SKIPS = ("Graph break: skip:", "which results in a skip")


@dataclass(frozen=True, slots=True)
class BreakText:
    """What a record says. The first title and id are the root; the rest are its consequences."""

    reason: str
    explanation: str
    hints: tuple[str, ...]
    gb_id: str | None  # of the root reason, e.g. "GB0059"; None where torch has none for it
    gb_ids: tuple[str, ...]
    skips_function: bool
    skips_rest: bool


def docs_link(gb_id: str | None) -> str | None:
    """Where torch's catalogue describes a graph break id."""
    return _DOCS.format(gb_id.lower()) if gb_id else None


def parse(text: str, ids_by_title: Mapping[str, str]) -> BreakText:
    """Read one record. `ids_by_title` gives the ids where the text has no links (2.8).

    A reason without a title is the first line of its message, and its id unknown.
    """
    text = without_addresses(text)
    found = list(_TITLE.finditer(text))
    titles = [_without_head(match["title"]) for match in found] or [_plain_reason(text)]
    linked = ["GB" + number for number in _LINK.findall(text)]
    ids = linked or [ids_by_title[title] for title in titles if title in ids_by_title]
    root_text = text[: found[1].start()] if len(found) > 1 else text
    root_links = _LINK.findall(root_text)
    explanation, hints = _first_block(text)
    return BreakText(
        reason=titles[0],
        explanation=explanation,
        hints=hints,
        gb_id="GB" + root_links[0] if root_links else ids_by_title.get(titles[0]),
        gb_ids=tuple(dict.fromkeys(ids)),
        skips_function=SKIPS_FUNCTION in text or any(head in text for head in _OLD_SKIPS),
        skips_rest=SKIPS_REST in text,
    )


def is_user_exception(text: str) -> bool:
    """Whether the record is of an exception that the traced code itself raises."""
    return _USER_EXCEPTION.search(text) is not None


def _without_head(title: str) -> str:
    for head in _HEADS:
        title = title.rsplit(head, maxsplit=1)[-1]
    return title.strip()


def _plain_reason(text: str) -> str:
    message = _message(text)
    if _UNGUARDED in message:  # the expression has numbers in it that differ between rebuilds
        return _BRANCH if _BRANCHES.search(text) else _UNGUARDED
    return _without_head(message) or "torch gives no reason"


def _message(text: str) -> str:
    """The first line of a message without a title."""
    match = _BEHIND.search(text) or _PLAIN.search(text)
    return match["reason"] if match else next(iter(text.strip().splitlines()), "")


def _first_block(text: str) -> tuple[str, tuple[str, ...]]:
    """Explanation (its first paragraph) and hints that belong to the root."""
    start = text.find("\n  Explanation: ")
    if start < 0:
        message = _message(text)
        return message if _UNGUARDED in message else "", ()
    block = text[start + 1 :]
    second = block.find("\n  Explanation: ")
    block = block[:second] if second >= 0 else block
    fields = list(_FIELD.finditer(block))
    ends = [field.start() for field in fields[1:]] + [len(block)]
    explanation, hints = "", []
    for field, end in zip(fields, ends, strict=True):
        paragraph = " ".join(block[field.end() : end].split("\n\n")[0].split())
        if field["name"] == "Explanation":
            explanation = paragraph
        elif field["name"] == "Hint":
            hints.append(paragraph)
    return explanation, tuple(hints)
