"""How a verdict names what an exception excused, or nearly did: one line each."""

from __future__ import annotations

from pytest_compilecheck.contract.allow import AllowanceKind
from pytest_compilecheck.observe.values.observation import BreakSite, Fallback
from pytest_compilecheck.observe.values.recompile import Change


def told_site(site: BreakSite) -> str:
    """A break site: its place and reason."""
    return f"{site.file}:{site.line} {site.reason}"


def told_change(call: int, change: Change) -> str:
    """A change that made torch compile again in a call."""
    return f"call {call}: {change.source}: {change.expected} -> {change.actual}"


def told_fallback(fallback: Fallback) -> str:
    """A fallback: its kind, function and reason."""
    return f"{fallback.kind} of {fallback.function or 'the region'}: {fallback.reason}"


def told_misfit(kind: AllowanceKind, key: str, value: object) -> str:
    """The one key of an exception that keeps it from something of its kind."""
    what = "is not known" if value is None else f"is {value}"
    return f"all its keys but {key!r} fit a {kind} whose {key} {what}"
