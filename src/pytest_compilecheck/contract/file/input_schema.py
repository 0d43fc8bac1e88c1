"""What a JSON schema says of the `inputs` of a contract file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pytest_compilecheck.contract.file.objects import NAME, NAMES_SCHEMA, made_schema
from pytest_compilecheck.contract.trace.dtypes import ALIASES, NAMES
from pytest_compilecheck.contract.trace.spec import FORMAT_RANKS

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


def _told(description: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"description": description, **schema}


def _one(key: str, description: str, value: Mapping[str, Any]) -> dict[str, Any]:
    """A mapping with one key."""
    return {
        "type": "object",
        "properties": {key: _told(description, value)},
        "required": [key],
        "additionalProperties": False,
    }


_TENSOR: Final = {
    "type": "object",
    "description": "a tensor of random values",
    "properties": {
        "shape": _told("sizes and names of dims, as 'B S 64' or [8, 128]", _SHAPE),
        "dtype": _told("dtype of the values; float32 without it", torch_names((*NAMES, *ALIASES))),
        "device": _told(
            "device of the tensor; that of the contract without it",
            {"type": ["string", "null"], "minLength": 1},
        ),
        "requires_grad": _told("whether it asks for a gradient", {"type": "boolean"}),
        "low": _told("smallest value; the usual one of the dtype without it", _NUMBER),
        "high": _told("values stay below this; for token ids the size of the vocabulary", _NUMBER),
        "memory_format": _told(
            "order of the dims in memory", {"anyOf": [torch_names(FORMAT_RANKS), {"type": "null"}]}
        ),
        "strides": _told(
            "elements to step for each dim, in place of a memory format",
            {"type": ["array", "null"], "items": {"type": "integer", "minimum": 0}},
        ),
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
        "description": "how an argument is made: a shape, a tensor, a value, or several in one",
        "anyOf": [
            _TEXT,
            _SIZES,
            _TENSOR,
            _one("value", "a Python value, as it is", {"$ref": "#/$defs/value"}),
            _one("tuple", "a tuple of inputs", {"type": "array", "items": _INPUT}),
            _one("list", "a list of inputs", {"type": "array", "items": _INPUT}),
            _one("dict", "a dict of inputs", {"type": "object", "additionalProperties": _INPUT}),
            made_schema("made_inputs"),
        ],
    },
    "made_inputs": {
        "description": "inputs by the name of the argument that they are given as",
        "type": ["object", "null"],
        "propertyNames": NAMES_SCHEMA,
        "additionalProperties": _INPUT,
    },
}
"""JSON schemas of inputs, by the name under which they refer to each other."""
