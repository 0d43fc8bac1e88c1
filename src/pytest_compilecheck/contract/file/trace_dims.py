"""The `dims` of a contract file: sizes, or a trace file."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from pytest_compilecheck.contract.faults import did_you_mean
from pytest_compilecheck.contract.trace_file import trace_file

TRACE_KEYS = ("trace_file", "max_steps")
"""Keys of dims that come from a trace file."""


def described_dims(value: object) -> object:
    """The dims as `contract.series` reads them; a trace file in place of its mapping."""
    if not isinstance(value, Mapping) or "trace_file" not in value:
        return value
    others = {"max_steps": value["max_steps"]} if "max_steps" in value else {}
    made = trace_file(value["trace_file"], **others)
    unknown = [
        f"{key!r} is no key beside 'trace_file'{did_you_mean(key, TRACE_KEYS)}"
        for key in value
        if key not in TRACE_KEYS
    ]
    return dataclasses.replace(made, faults=(*made.faults, *unknown))
