"""Import paths, and Python values in which objects are made: `{make: "package.module:attr"}`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from pytest_compilecheck.contract.faults import Report, did_you_mean
from pytest_compilecheck.contract.inputs import (
    Input,
    InputDict,
    InputSequence,
    MadeObject,
    PythonValue,
)
from pytest_compilecheck.contract.plain import shown

_DOTTED: Final = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
IMPORT_PATH: Final = rf"^{_DOTTED}:{_DOTTED}$"
"""What an import path looks like, as a regular expression."""

_PATH: Final = re.compile(IMPORT_PATH)
_MADE_KEYS: Final = ("make", "arguments")


def parse_path(value: object, report: Report) -> str:
    """An import path, "package.module:attr"."""
    if isinstance(value, str) and _PATH.match(value):
        return value
    cure = "'package.module:attr'"
    if isinstance(value, str) and re.fullmatch(rf"{_DOTTED}\.[^\W\d]\w*", value):
        module, _, name = value.rpartition(".")
        cure = f"'{module}:{name}', with a colon before the name in the module"
    report(f"expected {cure}, got {shown(value)}")
    return ""


def parse_arguments(value: object, report: Report) -> Any:
    """Arguments by name, as inputs that have no tensors; null for none."""
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
            report(f"{name!r} is no name of an argument")


def inside(part: str, report: Report) -> Report:
    """A report of faults in a part of the value, such as "[0]" or "['x']"."""
    return lambda text: report(f"{part}{text}" if text.startswith("[") else f"{part}: {text}")


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


def made_object(value: Mapping[str, object], report: Report, parse: Any) -> MadeObject:
    """The object of a mapping with `make`; `parse` reads its arguments."""
    for key in value:
        if key not in _MADE_KEYS:
            hint = did_you_mean(key, _MADE_KEYS)
            report(f"{key!r} is no key beside 'make', which takes 'arguments' only{hint}")
    path = parse_path(value["make"], inside("['make']", report))
    return MadeObject(path, parse(value.get("arguments"), inside("['arguments']", report)))
