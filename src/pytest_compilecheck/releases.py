"""Which releases of torch the watch is known to work under, and what to say of another."""

from __future__ import annotations

import re
from typing import Final

OLDEST: Final = (2, 8)
"""The first that tells a cache hit from a miss."""
NEWEST: Final = (2, 15)
"""The newest that the tests ran under."""

KNOWN: Final = f"{OLDEST[0]}.{OLDEST[1]} to {NEWEST[0]}.{NEWEST[1]}"
"""The range in words: "2.8 to 2.15"."""

_RELEASE = re.compile(r"v?(\d+)\.(\d+)(?:\.\d+)*(?P<rest>.*)", re.DOTALL)
# A build tag of pip's (+cpu, +cu130) is part of a release; so is a post-release.
_FINAL = re.compile(r"(\.post\d+)?(\+(?!git)[a-z0-9.]+)?", re.IGNORECASE)


class UnsupportedTorchError(Exception):
    """torch is too old; the message says what to install."""


def refuse_old(version: str) -> None:
    """Nothing where torch is new enough, or of no release at all.

    Raises:
        UnsupportedTorchError: it is older than the oldest that is supported.
    """
    release = _release(version)
    if release is not None and release < OLDEST:
        raise UnsupportedTorchError(
            f"torch {version} is too old for pytest-compilecheck, which cannot tell a cache hit"
            f" from a miss before {OLDEST[0]}.{OLDEST[1]}: install torch {KNOWN}"
        )


def best_effort(version: str) -> str:
    """What to say of a torch that the watch is not known to work under; "" where it is.

    `version` is torch's own with its build tag ("2.13.0+cpu"): a nightly, a pre-release and a build
    from source are none of the releases that are known.
    """
    release = _release(version)
    if release is None:
        what = "is no release"
    elif release > NEWEST:
        what = "is newer than the newest that is known to work"
    elif not _is_final(version):
        what = "is no final release"
    else:
        return ""
    return (
        f"torch {version} {what}, so this run is best effort: figures are as torch told them where"
        f" the self-check found nothing missing; known to work: {KNOWN}"
    )


def _release(version: str) -> tuple[int, int] | None:
    match = _RELEASE.match(version)
    return (int(match[1]), int(match[2])) if match else None


def _is_final(version: str) -> bool:
    match = _RELEASE.fullmatch(version)
    return match is not None and _FINAL.fullmatch(match["rest"]) is not None
