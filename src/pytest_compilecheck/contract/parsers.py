"""Checks of single fields: each takes a raw value, reports what is wrong, gives the parsed one.

What a parser gives after a report is never used: the contract is refused as a whole.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, TypeGuard

from pytest_compilecheck.contract.faults import Report, did_you_mean
from pytest_compilecheck.contract.plain import shown

Parser = Callable[[object, Report], Any]

OWNERS = ("own", "third_party", "torch")


def is_whole(value: object) -> TypeGuard[int]:
    """Whether the value is an int; True and False are not."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: object) -> TypeGuard[float]:
    """Whether the value is an int or a float; NaN, True and False are not."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and not math.isnan(value)


def whole_number(value: object, report: Report, *, low: int | None = None) -> Any:
    """An int, not below `low`."""
    if not is_whole(value) or (low is not None and value < low):
        least = "" if low is None else f", {low} or more"
        report(f"expected a whole number{least}, got {shown(value)}")
    return value


def optional_whole_number(value: object, report: Report, *, low: int) -> Any:
    """An int not below `low`, or None."""
    return None if value is None else whole_number(value, report, low=low)


def optional_tolerance(value: object, report: Report) -> Any:
    """A number, 0 or more, or None; no infinite one, within which everything is equal."""
    return None if value is None else amount(value, report)


def amount(value: object, report: Report) -> Any:
    """A number, 0 or more, that is not infinite."""
    if not is_number(value) or not 0 <= value < math.inf:
        report(f"expected a number, 0 or more, got {shown(value)}")
    return value


def flag(value: object, report: Report) -> Any:
    """True or False."""
    if not isinstance(value, bool):
        report(f"expected True or False, got {shown(value)}")
    return value


def optional_flag(value: object, report: Report) -> Any:
    """True, False or None."""
    if value is not None and not isinstance(value, bool):
        report(f"expected True, False or None, got {shown(value)}")
    return value


def optional_text(value: object, report: Report) -> Any:
    """A string that is not empty, or None."""
    if value is not None and (not isinstance(value, str) or not value):
        report(f"expected a name in quotes, got {shown(value)}")
    return value


def optional_options(value: object, report: Report) -> Any:
    """A mapping with string keys, or None."""
    if value is None:
        return None
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        report(f"expected a dict of option names to values, got {shown(value)}")
        return None
    return dict(value)


def backend(value: object, report: Report) -> Any:
    """The name of a backend, a backend itself (a callable), or None for the default."""
    if isinstance(value, str) and not value:
        report("expected the name of a backend or a callable, got ''")
    elif value is not None and not isinstance(value, str) and not callable(value):
        report(f"expected the name of a backend or a callable, got {shown(value)}")
    return value


def factory(value: object, report: Report) -> Any:
    """What makes an instance, called without arguments; or None."""
    if value is not None and not callable(value):
        report(f"expected a callable such as lambda: Model(width=64), got {shown(value)}")
    return value


def parameter_names(value: object, report: Report) -> Any:
    """One parameter name or a list of them, as a tuple; None for the marked function."""
    if value is None:
        return None
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, (list, tuple)) or not all(isinstance(name, str) for name in names):
        report(f"expected the name of a parameter, or a list of names, got {shown(value)}")
        return None
    if not names:
        report("names nothing to compile: leave it out to compile the test function itself")
        return None
    for name in sorted({name for name in names if names.count(name) > 1}):
        report(f"{name!r} is named twice: leave one out")
    return tuple(names)


def dim_names(value: object, report: Report) -> Any:
    """One dim name or a list of them, as a tuple; None for none."""
    if value is None:
        return ()
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, (list, tuple)) or not all(isinstance(name, str) for name in names):
        report(f"expected the name of a dim, or a list of names, got {shown(value)}")
        return ()
    return tuple(dict.fromkeys(names))


def owners(value: object, report: Report) -> Any:
    """A list of owners as a tuple, or None for all."""
    if value is None:
        return None
    if not isinstance(value, (list, tuple)) or not value:
        report(f"expected a list of owners such as ['own'], got {shown(value)}")
        return None
    for owner in value:
        if owner not in OWNERS:
            hint = did_you_mean(owner, OWNERS) or f" (owners are {', '.join(OWNERS)})"
            report(f"{shown(owner)} is no owner{hint}")
    return tuple(value)
