"""Bounds: a number, nothing, or a number for each range of torch releases."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeGuard

from pytest_compilecheck.contract.faults import Report, inside
from pytest_compilecheck.contract.parsers import is_whole
from pytest_compilecheck.contract.plain import shown
from pytest_compilecheck.contract.specifiers import (
    SPECIFIER_PATTERN,
    edges,
    is_specifier,
    matches_release,
)

Number = int | float
VersionMap = tuple[tuple[str, Number], ...]


class BoundError(ValueError):
    """A version map has no entry, or more than one, for a torch release."""


@dataclass(frozen=True, slots=True)
class Bound:
    """How much of something a contract permits or asks for.

    `value` is a number, None (no bound), or (specifier, number) pairs: a version map.
    """

    value: Number | VersionMap | None = None

    def at(self, torch_version: str) -> Number | None:
        """The bound under a torch release; None for no bound.

        Only the release segment counts: "2.14.0.dev20260101+cpu" is taken as 2.14.0.

        Raises:
            BoundError: no entry of the version map matches the release, or several do.
        """
        if not isinstance(self.value, tuple):
            return self.value
        matches = [entry for entry in self.value if matches_release(entry[0], torch_version)]
        if not matches:
            raise BoundError(
                f"{dict(self.value)} has no entry for torch {torch_version}: add one that matches"
            )
        if len(matches) > 1:
            raise BoundError(self.several(torch_version))
        return matches[0][1]

    def several(self, torch_version: str) -> str:
        """That more than one entry of the version map matches a release; "" where not."""
        assert isinstance(self.value, tuple)
        both = [key for key, _ in self.value if matches_release(key, torch_version)]
        if len(both) < 2:
            return ""
        told = " and ".join(map(repr, both))
        versions = f"{told} of {dict(self.value)} match torch {torch_version}"
        return f"{versions}: narrow them so that one is left"

    def to_plain(self) -> Number | dict[str, Number] | None:
        """JSON-able form, as a person writes it."""
        return dict(self.value) if isinstance(self.value, tuple) else self.value


def parse_bound(
    value: object, report: Report, *, whole: bool = True, high: Number | None = None
) -> Bound:
    """A bound from what a person wrote; each fault is reported in one sentence.

    `whole` asks for ints. No number may be below 0, above `high`, infinite or NaN.
    """
    if value is None:
        return Bound()
    if not isinstance(value, Mapping):
        return Bound(_number(value, report, whole=whole, high=high))
    if not value:
        report("the version map is empty: write e.g. {'<2.14': 2, '>=2.14': 0}")
    valid = [is_specifier(specifier, report) for specifier in value]
    entries = tuple(
        (str(specifier), _number(number, report, whole=whole, high=high, key=specifier))
        for specifier, number in value.items()
    )
    # Of a faulty map nothing can be chosen for a release.
    if not entries or not all(valid):
        return Bound()
    overlap = _overlap(Bound(entries))
    if overlap:
        report(overlap)
    return Bound() if overlap else Bound(entries)


def parse_extra_bounds(value: object, report: Report) -> dict[str, Bound]:
    """Bounds of plugins by name; which of them are declared is told elsewhere."""
    if value is None:
        return {}
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        report(f"expected a dict such as {{'max_matmuls': 3}}, got {shown(value)}")
        return {}
    return {
        name: parse_bound(bound, inside(f"[{name!r}]", report), whole=False)
        for name, bound in value.items()
    }


def _overlap(bound: Bound) -> str:
    """Why no release of torch may be one for which two entries of a version map hold; "" if none.

    Where specifiers begin and end is in them: all releases between two such edges are alike.
    """
    assert isinstance(bound.value, tuple)
    releases = edges(specifier for specifier, _ in bound.value)
    return next(filter(None, map(bound.several, releases)), "")


def bound_schema(
    *, whole: bool, high: Number | None = None, also: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """A JSON schema of what `parse_bound` takes; `also` is another way to write the number."""
    number: dict[str, Any] = {"type": "integer" if whole else "number", "minimum": 0}
    if high is not None:
        number["maximum"] = high
    if also is not None:
        number = {"anyOf": [number, dict(also)]}
    versions = {
        "type": "object",
        "minProperties": 1,
        "propertyNames": {"pattern": SPECIFIER_PATTERN},
        "additionalProperties": number,
    }
    return {"anyOf": [number, {"type": "null"}, versions]}


def _number(
    value: object, report: Report, *, whole: bool, high: Number | None, key: object = None
) -> Number:
    top = math.inf if high is None else high
    if (is_whole(value) or (not whole and _is_finite(value))) and 0 <= value <= top:
        return value
    kind = "a whole number" if whole else "a number"
    limits = ", 0 or more" if high is None else f" from 0 to {high}"
    alternative = " (None for no bound)" if key is None else ""
    where = "" if key is None else f"[{shown(key)}]: "
    report(f"{where}expected {kind}{limits}{alternative}, got {shown(value)}")
    return 0


def _is_finite(value: object) -> TypeGuard[float]:
    return isinstance(value, float) and math.isfinite(value)
