"""Sizes of memory as a person writes them: "20 MB" for 20,000,000 bytes, "16 MiB" for 2**24."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pytest_compilecheck.contract.bounds import Bound, bound_schema, parse_bound
from pytest_compilecheck.contract.faults import Report
from pytest_compilecheck.contract.plain import shown

_UNITS = {
    "B": 1,
    **{f"{prefix}B": 1000**power for power, prefix in enumerate(("k", "M", "G"), 1)},
    **{f"{prefix}iB": 1024**power for power, prefix in enumerate(("K", "M", "G"), 1)},
}
_PATTERN = rf"(?P<number>[0-9]{{1,18}}(\.[0-9]+)?) ?(?P<unit>{'|'.join(_UNITS)})"
_SIZE = re.compile(_PATTERN)


def parse_memory_bound(value: object, report: Report) -> Bound:
    """A bound in bytes, from "20 MB", a number of bytes, None or a version map of these."""
    if isinstance(value, Mapping):
        faults: list[str] = []
        sizes = {key: _bytes(size, faults.append) for key, size in value.items()}
        for fault in faults:
            report(fault)
        return Bound() if faults else parse_bound(sizes, report)
    size = _bytes(value, report)
    return Bound() if size is None else parse_bound(size, report)


def memory_bound_schema() -> dict[str, Any]:
    """A JSON schema of what `parse_memory_bound` takes."""
    pattern = re.sub(r"\?P<\w+>", "", _PATTERN)
    size = {"type": "string", "pattern": rf"^\s*{pattern}\s*$"}
    return bound_schema(whole=True, also=size)


def _bytes(value: object, report: Report) -> object:
    """Text as a number of bytes, None after a fault; what is no text as it is."""
    if not isinstance(value, str):
        return value
    found = _SIZE.fullmatch(value.strip())
    if found is None:
        report(f"expected a size such as '20 MB' ({', '.join(_UNITS)}), got {shown(value)}")
        return None
    return round(float(found["number"]) * _UNITS[found["unit"]])
