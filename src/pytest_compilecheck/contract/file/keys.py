"""The register of the keys that only a contract file has, beside the fields of every contract."""

from __future__ import annotations

from typing import Any, Final

from pytest_compilecheck.contract import parsers
from pytest_compilecheck.contract.dtypes import parse_dtype, takes_gradient
from pytest_compilecheck.contract.faults import Report
from pytest_compilecheck.contract.fields import FIELDS, Field
from pytest_compilecheck.contract.file.conditions import (
    parse_excuse,
    parse_marks,
    parse_requires,
)
from pytest_compilecheck.contract.file.objects import parse_arguments, parse_path
from pytest_compilecheck.contract.plain import shown


def _dtype(value: object, report: Report) -> Any:
    if value is None:
        return None
    name = parse_dtype(value, report)
    if not takes_gradient(name):
        report(f"a module cannot be made {name}: name a floating or complex dtype")
    return name


def _method(value: object, report: Report) -> Any:
    if value is not None and not (isinstance(value, str) and value.isidentifier()):
        report(f"expected the name of a method such as 'forward', got {shown(value)}")
    return value


_ROWS: Final = (
    Field("target", parse_path, "what is compiled, as package.module:attr"),
    Field("arguments", parse_arguments, "arguments that the target is called with to make it"),
    Field("call", _method, "method of the object that is called"),
    Field("keywords", parse_arguments, "fixed keyword arguments of the call"),
    Field("dtype", _dtype, "dtype of the object, and of float inputs that name none"),
    Field("device", parsers.optional_text, "device of the object and of inputs that name none"),
    Field("training", parsers.flag, "train() or eval() of a module"),
    Field("requires", parse_requires, "packages that must be there, with version specifiers"),
    Field("marks", parse_marks, "pytest marks"),
    Field("skip", parse_excuse, "why the contract is not run"),
    Field("xfail", parse_excuse, "why the contract is expected to fail"),
    Field("inputs", None, "arguments of the call that are made anew for each step"),
    Field("matrix", None, "values to run the contract with, each combination as its own"),
    Field("extends", None, "contract whose fields this one takes over"),
)

KEYS: Final = {row.name: row for row in _ROWS}
"""Every key that only a file has, by name."""

CONTRACT_FIELDS: Final = {
    name: row for name, row in FIELDS.items() if name not in ("shapes", "compiles")
}
"""The fields of every contract that a file can have."""

ELSEWHERE: Final = {
    "shapes": "a file describes what is made in inputs: write inputs: {x: 'B S 64'}",
    "compiles": "in a file the target is what is compiled: name it in target",
}
"""Fields that a file does not have, each with what to write instead."""
