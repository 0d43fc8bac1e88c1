"""A figure against what a contract allows."""

from __future__ import annotations

from pytest_compilecheck.judge.verdict import Number, Violation


def at_most(
    bound: str, allowed: Number | None, observed: Number | None, what: str, why: str = ""
) -> list[Violation]:
    """The violation of a figure that is above its bound, or not known; `why` tells the latter."""
    if allowed is None or (observed is not None and observed <= allowed):
        return []
    wanted = f"at most {_shown(allowed)} allowed"
    return [_violation(bound, allowed, observed, f"{what}: {_told(observed, why)}, {wanted}", why)]


def at_least(
    bound: str, allowed: Number | None, observed: Number | None, what: str, why: str = ""
) -> list[Violation]:
    """The violation of a figure that is below its bound, or not known; `why` tells the latter."""
    if allowed is None or (observed is not None and observed >= allowed):
        return []
    wanted = f"at least {_shown(allowed)} required"
    return [_violation(bound, allowed, observed, f"{what}: {_told(observed, why)}, {wanted}", why)]


def _violation(
    bound: str, allowed: Number, observed: Number | None, message: str, why: str
) -> Violation:
    why = why if observed is None else ""
    return Violation(bound=bound, allowed=allowed, observed=observed, message=message, why=why)


def _told(observed: Number | None, why: str) -> str:
    if observed is None:
        return f"unknown, because {why}" if why else "unknown"
    return _shown(observed)


def _shown(number: Number) -> str:
    return f"{number:g}" if isinstance(number, float) else str(number)
