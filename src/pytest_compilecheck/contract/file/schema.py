"""The JSON schema of contract files, made from the register of their keys."""

from __future__ import annotations

from typing import Any, Final

from pytest_compilecheck.contract.file.document import CONTRACT_NAME, VERSION
from pytest_compilecheck.contract.file.input_schema import INPUT_SCHEMAS
from pytest_compilecheck.contract.file.keys import KEYS
from pytest_compilecheck.contract.file.matrix import KEY_SCHEMA
from pytest_compilecheck.contract.file.objects import VALUE_SCHEMAS

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_KEY: Final = KEY_SCHEMA.removeprefix("#/$defs/")


def schema() -> dict[str, Any]:
    """What a contract file looks like, as JSON schema (2020-12).

    It accepts every file that the loader accepts, and refuses what is wrong with one value by
    itself; what is wrong between values, such as a dim without a size, only the loader tells.
    """
    keys = {name: {"$ref": f"{KEY_SCHEMA}{name}"} for name in KEYS}
    defaults = {name: reference for name, reference in keys.items() if name != "extends"}
    return {
        "$schema": _DIALECT,
        "title": "Contract file of pytest-compilecheck",
        "type": "object",
        "properties": {
            "version": {"description": "version of the format", "const": VERSION},
            "defaults": {
                "description": "what contracts of this file have unless they say otherwise",
                **_object(defaults),
            },
            "contracts": {
                "description": "contracts by name; one that begins with _ is for extends alone",
                "type": "object",
                "minProperties": 1,
                "propertyNames": {"pattern": f"^{CONTRACT_NAME}$"},
                "additionalProperties": {"$ref": "#/$defs/contract"},
            },
        },
        "required": ["version", "contracts"],
        "additionalProperties": False,
        "$defs": {
            "contract": _object(keys),
            **{f"{_KEY}{name}": row.schema for name, row in KEYS.items()},
            **INPUT_SCHEMAS,
            **VALUE_SCHEMAS,
        },
    }


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "additionalProperties": False}
