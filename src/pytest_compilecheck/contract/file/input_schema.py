"""What a JSON schema says of the `inputs` of a contract file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pytest_compilecheck.contract.dtypes import ALIASES, NAMES
from pytest_compilecheck.contract.file.objects import NAME, NAMES_SCHEMA, made_schema
from pytest_compilecheck.contract.spec import FORMAT_RANKS

_INPUT: Final = {"$ref": "#/$defs/input"}
_SIZE: Final = f"([0-9]+|{NAME})"
_SIZES: Final = {
    "type": "array",
    "items": {
        "anyOf": [{"type": "integer", "minimum": 0}, {"type": "string", "pattern": f"^{NAME}$"}]
    },
}
_TEXT: Final = {"type": "string", "pattern": rf"^\s*{_SIZE}((\s*,\s*|\s+){_SIZE})*\s*$"}
_SHAPE: Final = {"anyOf": [_TEXT, _SIZES]}
_NUMBER: Final = {"type": ["number", "null"]}


def torch_names(names: Mapping[str, object] | tuple[str, ...]) -> dict[str, Any]:
    """A JSON schema of names, each alone or as "torch.name"."""
    return {"enum": [*names, *(f"torch.{name}" for name in names)]}


def _one(key: str, value: Mapping[str, Any]) -> dict[str, Any]:
    """A mapping with one key."""
    return {
        "type": "object",
        "properties": {key: value},
        "required": [key],
        "additionalProperties": False,
    }


_TENSOR: Final = {
    "type": "object",
    "description": "a tensor of random values",
    "properties": {
        "shape": _SHAPE,
        "dtype": torch_names((*NAMES, *ALIASES)),
        "device": {"type": ["string", "null"], "minLength": 1},
        "requires_grad": {"type": "boolean"},
        "low": _NUMBER,
        "high": _NUMBER,
        "memory_format": {"anyOf": [torch_names(FORMAT_RANKS), {"type": "null"}]},
        "strides": {"type": ["array", "null"], "items": {"type": "integer", "minimum": 0}},
    },
    "required": ["shape"],
    "additionalProperties": False,
}

INPUT_SCHEMAS: Final = {
    "steps": {
        "description": "one input for all steps, or a list with one for each",
        "if": {"type": "array", "not": {"contains": {"type": "integer"}}},
        "then": {"minItems": 1, "items": _INPUT},
        "else": _INPUT,
    },
    "input": {
        "anyOf": [
            _TEXT,
            _SIZES,
            _TENSOR,
            _one("value", {"$ref": "#/$defs/value"}),
            _one("tuple", {"type": "array", "items": _INPUT}),
            _one("list", {"type": "array", "items": _INPUT}),
            _one("dict", {"type": "object", "additionalProperties": _INPUT}),
            made_schema("made_inputs"),
        ]
    },
    "made_inputs": {
        "type": ["object", "null"],
        "propertyNames": NAMES_SCHEMA,
        "additionalProperties": _INPUT,
    },
}
"""JSON schemas of inputs, by the name under which they refer to each other."""
