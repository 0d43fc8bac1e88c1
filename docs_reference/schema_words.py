"""What a JSON schema says of a value, in words."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from docs_reference.markdown import code

Link = Callable[[str], str]
"""Makes words of the name of a definition."""

_MOST_KEYS: Final = 8
"""Keys of a mapping that are named where it stands."""

_NAMES: Final = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "null": "null",
    "array": "list",
    "object": "mapping",
}


def words(schema: Mapping[str, Any], link: Link) -> str:
    """The values that fit, such as "whole number, 0 or more; or null"."""
    return "; or ".join(dict.fromkeys(_kinds(schema, link)))


def _kinds(schema: Mapping[str, Any], link: Link) -> list[str]:
    if "$ref" in schema:
        return [link(str(schema["$ref"]).rpartition("/")[2])]
    if "const" in schema:
        return [code(_literal(schema["const"]))]
    if "enum" in schema:
        return [_choices(schema["enum"])]
    if "anyOf" in schema:
        return [kind for each in schema["anyOf"] for kind in _kinds(each, link)]
    if "type" not in schema:
        inner = [schema[key] for key in ("then", "else") if key in schema]
        told = [kind for each in inner for kind in _kinds(each, link)]
        return told or ["any value"]
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return [_one(kind, schema, link) for kind in kinds]


def _one(kind: str, schema: Mapping[str, Any], link: Link) -> str:
    if kind == "array" and "items" in schema:
        inner = words(schema["items"], link)
        return f"list of ({inner})" if "; or " in inner else f"list of {inner}"
    if kind == "object" and isinstance(schema.get("additionalProperties"), Mapping):
        return f"mapping of names, each to {words(schema['additionalProperties'], link)}"
    if kind == "object" and schema.get("properties"):
        keys = list(map(code, schema["properties"]))
        return f"mapping with {', '.join(keys)}" if len(keys) <= _MOST_KEYS else "mapping"
    return _NAMES[kind] + (_limits(schema) if kind in ("integer", "number") else "")


def _limits(schema: Mapping[str, Any]) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        return f", {low} to {high}"
    return "" if low is None else f", {low} or more"


def _choices(values: list[Any]) -> str:
    # Names of torch may stand with "torch." before them: said once.
    short = [each for each in values if not str(each).startswith("torch.")]
    told = ", ".join(code(_literal(each)) for each in short)
    return told if len(short) == len(values) else f"{told} (also as `torch.NAME`)"


def _literal(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)
