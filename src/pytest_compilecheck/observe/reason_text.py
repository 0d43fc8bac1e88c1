"""Reads torch's short texts: why a frame was skipped, which guards failed."""

from __future__ import annotations

import re

from pytest_compilecheck.observe.events import SkipReason

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
# Each reason begins with the compile id of the cache entry that it speaks of.
_ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]+")
_OBJECT_ID = re.compile(r"(___check_(?:obj|type)_id\([^\n]*?, )\d+")
_COMPILE_ID = re.compile(r"^!?\d+/\d+(_\d+)?:( |$)")


def skip_reason(text: str) -> SkipReason | None:
    """The kind of a `ConvertFrameReturn.skip_reason` (2.13 and newer); None without a text."""
    if not text:
        return None
    return next((reason for piece, reason in _SKIPS if piece in text), "other")


def recompile_reasons(payload: str | list[str]) -> tuple[str, ...]:
    """Failed guards of a `recompile_reasons` event, one for each cache entry.

    The payload is a list up to 2.10; since then a single reason comes bare.
    """
    reasons = [payload] if isinstance(payload, str) else payload
    return tuple(_COMPILE_ID.sub("", _without_stack(reason)) for reason in reasons)


def without_addresses(text: str) -> str:
    """The text without addresses and ids of objects, which are others in each process."""
    return _OBJECT_ID.sub(r"\1<id>", _ADDRESS.sub("", text))


def _without_stack(reason: str) -> str:
    return without_addresses(reason.split("\nUser stack trace:", maxsplit=1)[0].strip())


def culprit(guards: tuple[str, ...]) -> str:
    """The guard that a person means: of the entry that served last, which torch names first.

    Where that one is about process-wide state and another is not, the other: an inference tensor
    outside inference mode also reads as a changed grad mode.
    """
    if not guards:
        return ""
    if guards[0].startswith("GLOBAL_STATE"):
        return next((guard for guard in guards if not guard.startswith("GLOBAL_STATE")), guards[0])
    return guards[0]
