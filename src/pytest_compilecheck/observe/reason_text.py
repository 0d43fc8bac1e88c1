"""Reads torch's short texts: why a frame was skipped, which guards failed."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pytest_compilecheck.observe.events import Reason, SkipReason

_SKIPS: tuple[tuple[str, SkipReason], ...] = (
    ("skipfiles", "skip_file"),
    ("tracing is disabled", "disabled"),
    ("dispatch mode", "dispatch_mode"),
    ("error was suppressed", "error"),
    ("custom frame execution", "error"),
    ("exception-directed", "error"),
    ("no tensor-related", "no_tensors"),
    ("No ops traced", "no_ops"),
)
# torch pads a guard's text and says behind it where the code made it necessary.
_BEHIND = re.compile(r"\s+(?:# |\(HINT: )")
_ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]+")
_OBJECT_ID = re.compile(r"(___check_(?:obj|type)_id\([^\n]*?, )\d+")
# Each reason begins with the compile id of the cache entry that it speaks of; the first of three
# numbers is that of a compiled autograd backward.
_COMPILE_ID = re.compile(r"^(?P<id>(?:!(?:\d+/)?)?\d+/\d+(_\d+)?):( |$)")


def skip_reason(text: str) -> SkipReason | None:
    """The kind of a `ConvertFrameReturn.skip_reason` (2.13 and newer); None without a text."""
    if not text:
        return None
    return next((reason for piece, reason in _SKIPS if piece in text), "other")


def recompile_reasons(payload: str | list[str]) -> tuple[Reason, ...]:
    """The reasons of a `recompile_reasons` event, one for each cache entry.

    The payload is a list up to 2.10; since then a single reason comes bare.
    """
    return tuple(map(_reason, [payload] if isinstance(payload, str) else payload))


def _reason(text: str) -> Reason:
    text = without_addresses(text.split("\nUser stack trace:", maxsplit=1)[0].strip())
    told = _COMPILE_ID.match(text)
    return Reason(told["id"], text[told.end() :]) if told else Reason("", text)


def without_place(guard: str) -> str:
    """A guard's condition, without what torch says behind it of the code that needs it."""
    return _BEHIND.split(guard, maxsplit=1)[0].rstrip()


def without_addresses(text: str) -> str:
    """The text without addresses and ids of objects, which are others in each process."""
    return _OBJECT_ID.sub(r"\1<id>", _ADDRESS.sub("", text))


def culprit(reasons: Sequence[Reason]) -> Reason:
    """The reason that a person means: of the graph that served last, which torch names first.

    Where that one is about process-wide state and another is not, the other: an inference tensor
    outside inference mode also reads as a changed grad mode.
    """
    if not reasons:
        return Reason("", "")
    if reasons[0].text.startswith("GLOBAL_STATE"):
        others = (each for each in reasons if not each.text.startswith("GLOBAL_STATE"))
        return next(others, reasons[0])
    return reasons[0]
