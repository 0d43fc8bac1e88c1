"""Import paths, and Python values in which objects are made: `{make: "package.module:attr"}`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from pytest_compilecheck.contract.faults import Report, did_you_mean, inside
from pytest_compilecheck.contract.kinds import Kind
from pytest_compilecheck.contract.plain import shown
from pytest_compilecheck.contract.trace.inputs import (
    Input,
    InputDict,
    InputSequence,
    MadeObject,
    PythonValue,
)

_BEYOND_ASCII: Final = r"[^\u0000-\u007f\s]"
NAME: Final = rf"([A-Za-z_]|{_BEYOND_ASCII})([A-Za-z0-9_]|{_BEYOND_ASCII})*"
"""What an identifier looks like, for a JSON schema; more exact is `str.isidentifier`."""

_DOTTED: Final = rf"{NAME}(\.{NAME})*"
_MADE_KEYS: Final = ("make", "arguments")


def parse_path(value: object, report: Report) -> str:
    """An import path, "package.module:attr"; `attr` may be dotted."""
    names = value.replace(":", ".", 1).split(".") if isinstance(value, str) else [""]
    if isinstance(value, str) and all(name.isidentifier() for name in names):
        if ":" in value:
            return value
        module, _, name = value.rpartition(".")
        if module:
            report(f"expected '{module}:{name}', with a colon, got {shown(value)}")
            return ""
    report(f"expected 'package.module:attr', got {shown(value)}")
    return ""


def parse_arguments(value: object, report: Report) -> dict[str, Input]:
    """Arguments by name, as inputs that have no tensors; None for none."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        report(f"expected a mapping of argument names to values, got {shown(value)}")
        return {}
    check_names(value, report)
    return {name: python_value(item, inside(f"[{name!r}]", report)) for name, item in value.items()}


def check_names(value: Mapping[str, object], report: Report) -> None:
    """Report each key that can be no name of an argument."""
    for name in value:
        if not name.isidentifier():
            report(f"{name!r} is no name of an argument: a name has letters, digits and _")


PATH: Final = Kind(parse_path, {"type": "string", "pattern": f"^{_DOTTED}:{_DOTTED}$"})

NAMES_SCHEMA: Final = {"pattern": f"^{NAME}$"}
"""A JSON schema of the names of a mapping of arguments."""


def made_schema(arguments: str) -> dict[str, Any]:
    """A JSON schema of a mapping with `make`; `arguments` is the name of that of its arguments."""
    return {
        "type": "object",
        "description": "an object: what is named is imported and called with the arguments",
        "properties": {
            "make": {"description": "what is called, as package.module:attr", **PATH.schema},
            "arguments": {
                "description": "what it is called with, by name",
                "$ref": f"#/$defs/{arguments}",
            },
        },
        "required": ["make"],
        "additionalProperties": False,
    }


_VALUE_REF: Final = {"$ref": "#/$defs/value"}

VALUE_SCHEMAS: Final = {
    "value": {
        "description": "a Python value; {make: 'package.module:attr'} makes an object",
        "if": {"type": "object", "required": ["make"]},
        "then": made_schema("arguments"),
        "else": {"items": _VALUE_REF, "additionalProperties": _VALUE_REF},
    },
    "arguments": {
        "description": "Python values by the name of the argument that they are given as",
        "type": ["object", "null"],
        "propertyNames": NAMES_SCHEMA,
        "additionalProperties": _VALUE_REF,
    },
}
"""JSON schemas of Python values, by the name under which they refer to each other."""

ARGUMENTS: Final = Kind(parse_arguments, {"$ref": "#/$defs/arguments"})


def python_value(value: object, report: Report) -> Input:
    """A Python value; what has objects to make in it is taken apart."""
    if not _makes(value):
        return PythonValue(value)
    if isinstance(value, list):
        items = [python_value(item, inside(f"[{at}]", report)) for at, item in enumerate(value)]
        return InputSequence("list", tuple(items))
    assert isinstance(value, Mapping)
    if "make" in value:
        return made_object(value, report, parse_arguments)
    return InputDict(
        {key: python_value(item, inside(f"[{key!r}]", report)) for key, item in value.items()}
    )


def _makes(value: object) -> bool:
    if isinstance(value, list):
        return any(_makes(item) for item in value)
    if isinstance(value, Mapping):
        return "make" in value or any(_makes(item) for item in value.values())
    return False


def made_object(
    value: Mapping[str, object],
    report: Report,
    parse: Callable[[object, Report], dict[str, Input]],
) -> MadeObject:
    """The object of a mapping with `make`; `parse` reads its arguments."""
    for key in value:
        if key not in _MADE_KEYS:
            hint = did_you_mean(key, _MADE_KEYS)
            report(f"{key!r} is no key beside 'make', which takes 'arguments' only{hint}")
    path = parse_path(value["make"], inside("['make']", report))
    return MadeObject(path, parse(value.get("arguments"), inside("['arguments']", report)))
