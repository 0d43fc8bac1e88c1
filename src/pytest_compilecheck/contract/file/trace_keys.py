"""The trace in a contract file: `inputs`, `dims` and `values`, each checked by itself."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Final

from pytest_compilecheck.contract.faults import Report, did_you_mean
from pytest_compilecheck.contract.file.inputs import InputDefaults, described_inputs
from pytest_compilecheck.contract.file.objects import NAMES_SCHEMA, check_names
from pytest_compilecheck.contract.kinds import Kind
from pytest_compilecheck.contract.places import Places
from pytest_compilecheck.contract.plain import shown
from pytest_compilecheck.contract.trace.file import TraceFile, trace_file
from pytest_compilecheck.contract.trace.series import (
    FieldReport,
    mapping_items,
    read_dims,
    read_inputs,
    read_values,
)

_TRACE_KEYS: Final = ("trace_file", "max_steps")


def described_dims(value: object) -> object:
    """The dims as `contract.series` reads them: a trace file in place of its mapping."""
    if isinstance(value, str):
        why = f"expected a mapping such as {{B: 8}}, got {shown(value)}"
        cure = f"for a file of sizes write {{trace_file: {shown(value)}}}"
        return TraceFile(value, max_steps=1, faults=(f"{why}: {cure}",))
    if not isinstance(value, Mapping) or "trace_file" not in value:
        return value
    others = {"max_steps": value["max_steps"]} if "max_steps" in value else {}
    return trace_file(value["trace_file"], **others)


def places_of(name: str, written: Places) -> Places:
    """Where the value of a key is written: what is wrong with a trace file lies at its name."""
    if name == "dims" and "trace_file" in written.parts:
        return dataclasses.replace(written, place=written.parts["trace_file"].place)
    return written


def _check_inputs(value: object, report: Report) -> None:
    described = described_inputs(value, InputDefaults())
    to_field = _without_field(report)
    for name, item in mapping_items("inputs", described, "{'x': 'B S 64'}", to_field):
        read_inputs("inputs", f"inputs[{name!r}]", item, to_field)
    _check_names(value, report)


def _check_dims(value: object, report: Report) -> None:
    dims = described_dims(value)
    if isinstance(dims, TraceFile):  # the file itself is read with the contract
        for fault in dims.faults:
            report(fault)
        for key in value if isinstance(value, Mapping) else ():
            if key not in _TRACE_KEYS:
                hint = did_you_mean(key, _TRACE_KEYS)
                report(f"{key!r} is no key beside 'trace_file'{hint}")
    else:
        read_dims(dims, "", _without_field(report))


def _check_values(value: object, report: Report) -> None:
    read_values(value, _without_field(report))
    _check_names(value, report)


def _check_names(value: object, report: Report) -> None:
    if isinstance(value, Mapping):
        check_names(value, report)


def _without_field(report: Report) -> FieldReport:
    return lambda _, message: report(message)


_SIZE: Final = {"type": "integer", "minimum": 0}
_SIZES: Final = {"anyOf": [_SIZE, {"type": "array", "minItems": 1, "items": _SIZE}]}
_FILE_SCHEMA: Final[dict[str, Any]] = {
    "properties": {
        "trace_file": {
            "description": "a file of sizes, CSV or JSON lines, beside the contract file",
            "type": "string",
            "minLength": 1,
        },
        "max_steps": {
            "description": "distinct rows that become steps; 64 without it",
            "type": "integer",
            "minimum": 1,
        },
    },
    "additionalProperties": False,
}

VALUE_OF_STEPS: Final = {"if": {"type": "array"}, "then": {"minItems": 1}}
"""A JSON schema of a Python value for all steps, or a list with one for each."""

INPUTS: Final = Kind(
    _check_inputs,
    {
        "type": ["object", "null"],
        "propertyNames": NAMES_SCHEMA,
        "additionalProperties": {"$ref": "#/$defs/steps"},
    },
)
DIMS: Final = Kind(
    _check_dims,
    {
        "type": ["object", "null"],
        "if": {"type": "object", "required": ["trace_file"]},
        "then": _FILE_SCHEMA,
        "else": {"propertyNames": NAMES_SCHEMA, "additionalProperties": _SIZES},
    },
)
VALUES: Final = Kind(
    _check_values,
    {
        "type": ["object", "null"],
        "propertyNames": NAMES_SCHEMA,
        "additionalProperties": VALUE_OF_STEPS,
    },
)
