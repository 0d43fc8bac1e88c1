"""Buckets as a person writes them: `bucket([128, 256], dims="S", mask="mask")`."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from pytest_compilecheck.contract.faults import Report, did_you_mean, inside
from pytest_compilecheck.contract.parsers import dim_names, is_number, is_whole, optional_text
from pytest_compilecheck.contract.plain import shown
from pytest_compilecheck.contract.policies.policy import Bucket, Sizes

_FORMS: Final = "'pow2', 'multiple(64)' or a list of sizes such as [128, 256]"
_MULTIPLE: Final = re.compile(r"multiple\(([0-9]+)\)")
_KEYS: Final = ("bucket", "dims", "pad", "mask", "label")

MULTIPLE_PATTERN: Final = r"^multiple\(0*([2-9]|[1-9][0-9]+)\)$"
"""What "multiple(64)" looks like."""


def bucket(
    sizes: object = "pow2",
    *,
    dims: str | Sequence[str] = (),
    pad: Mapping[str, float] | None = None,
    mask: str | None = None,
    rule: Callable[[dict[str, Any], dict[str, int]], dict[str, Any]] | None = None,
    label: str | None = None,
) -> Bucket:
    """A shape policy: sizes are rounded up, and inputs padded to them.

    Args:
        sizes: "pow2", "multiple(64)", or a rising list of sizes; what is beyond the last stays as
            it is.
        dims: names of the dims that are rounded; all that change over the trace where there are
            none.
        pad: by name of an input, the value that it is padded with in place of 0.
        mask: the argument that is made anew for each step, 1 where an element is real and 0 where
            it is padded.
        rule: takes the inputs by name and the rounded size of each dim, and gives the padded
            inputs; in place of `pad` and `mask`.
        label: what reports call it, where its sizes do not tell it from another.

    Never raises: what is wrong is reported with the contract's other faults when it is read.
    """
    faults: list[str] = []

    def part(name: str) -> Report:
        return inside(name, faults.append)

    given = {"sizes": sizes, "dims": dims, "pad": pad, "mask": mask, "label": label}
    made = _read(given, part)
    function: object = rule
    if function is not None and not callable(function):
        part("rule")(f"expected a function, got {shown(function)}")
    if rule is not None and (pad is not None or mask is not None):
        part("rule")("makes the padded inputs itself: leave out pad and mask, or the rule")
    return replace(made, rule=rule, faults=tuple(faults))


def bucket_of(value: Mapping[object, object], report: Report) -> Bucket:
    """The bucket of a mapping such as {"bucket": [128, 256], "dims": ["S"]}."""
    for key in value:
        if key == "rule":
            report("'rule' is a function: write bucket(rule=...) in Python")
        elif key not in _KEYS:
            report(f"{shown(key)} is no key of a bucket{did_you_mean(key, _KEYS)}")
    if "bucket" not in value:
        report(f"expected the key 'bucket' with {_FORMS}")
        return Bucket()
    given = {str(key): item for key, item in value.items()}
    given["sizes"] = given.pop("bucket")
    names = {"sizes": "bucket"}
    return _read(given, lambda name: inside(f"[{names.get(name, name)!r}]", report))


def parse_sizes(value: object, report: Report) -> Sizes:
    """What sizes are rounded to; {"multiple": 64} says the same as "multiple(64)"."""
    if value == "pow2":
        return "pow2"
    if isinstance(value, str):
        found = _MULTIPLE.fullmatch(value)
        if found:
            return _multiple(int(found[1]) if len(found[1]) < 19 else 0, value, report)
        report(f"expected {_FORMS}, got {shown(value)}{did_you_mean(value, ['pow2'])}")
        return "pow2"
    if isinstance(value, Mapping) and set(value) == {"multiple"}:
        return _multiple(value["multiple"], value["multiple"], inside("['multiple']", report))
    if isinstance(value, (list, tuple)):
        return _listed(value, report)
    one = f": a number alone could be either, 'multiple({value})' or [{value}]"
    report(f"expected {_FORMS}, got {shown(value)}{one if is_whole(value) else ''}")
    return "pow2"


def _read(given: Mapping[str, object], part: Callable[[str], Report]) -> Bucket:
    """All but the rule; `part` gives the report of faults in a part of it."""
    return Bucket(
        sizes=parse_sizes(given["sizes"], part("sizes")),
        dims=dim_names(given.get("dims"), part("dims")),
        pad=_padding(given.get("pad"), part("pad")),
        mask=optional_text(given.get("mask"), part("mask")),
        label=optional_text(given.get("label"), part("label")),
    )


def _multiple(number: object, written: object, report: Report) -> int:
    if is_whole(number) and number >= 2:
        return number
    report(f"expected a multiple of a whole number, 2 or more, got {shown(written)}")
    return 2


def _listed(sizes: Sequence[object], report: Report) -> tuple[int, ...]:
    if not sizes:
        report("the list is empty: give the sizes that inputs are padded to")
    good: list[int] = []
    for index, size in enumerate(sizes):
        if is_whole(size) and size >= 1:
            good.append(size)
        else:
            report(f"[{index}]: expected a whole number, 1 or more, got {shown(size)}")
    falls = [right for left, right in itertools.pairwise(good) if right <= left]
    if len(good) == len(sizes) and falls:
        report(f"the sizes must rise, and {falls[0]} comes after one that is not below it")
    return tuple(good)


def _padding(value: object, report: Report) -> dict[str, float]:
    if value is None:
        return {}
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        report(
            f"expected a dict of input names to numbers such as {{'ids': 1}}, got {shown(value)}"
        )
        return {}
    padding: dict[str, float] = {}
    for name, number in value.items():
        if is_number(number):
            padding[name] = number
        else:
            report(f"[{name!r}]: expected a number, got {shown(number)}")
    return padding
