"""A figure against what a contract allows."""

from __future__ import annotations

from pytest_compilecheck.judge.verdict import Number, Violation


def at_most(
    bound: str, allowed: Number | None, observed: Number | None, what: str, why: str
) -> list[Violation]:
    """The violation of a figure that is above its bound, or not known.

    `why` tells why it is not known, "" where it is or where there is one usual reason.
    """
    if allowed is None or (observed is not None and observed <= allowed):
        return []
    wanted = f"at most {_shown(allowed)} allowed"
    message = f"{what}: {_told(observed, why)}, {wanted}"
    return [Violation(bound=bound, allowed=allowed, observed=observed, message=message, why=why)]


def at_least(
    bound: str, allowed: Number | None, observed: Number | None, what: str, why: str
) -> list[Violation]:
    """The violation of a figure that is below its bound, or not known; `why` as in `at_most`."""
    if allowed is None or (observed is not None and observed >= allowed):
        return []
    wanted = f"at least {_shown(allowed)} required"
    message = f"{what}: {_told(observed, why)}, {wanted}"
    return [Violation(bound=bound, allowed=allowed, observed=observed, message=message, why=why)]


def _told(observed: Number | None, why: str) -> str:
    if observed is None:
        return f"unknown, because {why}" if why else "unknown"
    return _shown(observed)


def _shown(number: Number) -> str:
    return f"{number:g}" if isinstance(number, float) else str(number)
