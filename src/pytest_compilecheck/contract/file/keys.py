"""The register of all keys of a contract in a file: the fields of every contract, and its own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final

from pytest_compilecheck.contract.faults import Fault, Report, did_you_mean
from pytest_compilecheck.contract.fields import FIELDS, Field
from pytest_compilecheck.contract.file.conditions import EXCUSE, MARKS, REQUIRES
from pytest_compilecheck.contract.file.document import CONTRACT_NAME, Fields
from pytest_compilecheck.contract.file.input_schema import torch_names
from pytest_compilecheck.contract.file.matrix import STRUCTURE, matrix_schema, parse_matrix
from pytest_compilecheck.contract.file.objects import (
    ARGUMENTS,
    NAME,
    NAMES_SCHEMA,
    PATH,
    check_names,
)
from pytest_compilecheck.contract.file.trace_keys import DIMS, INPUTS, VALUES, places_of
from pytest_compilecheck.contract.kinds import FLAG, OPTIONAL_TEXT, Kind, or_null
from pytest_compilecheck.contract.places import FieldPlaces
from pytest_compilecheck.contract.plain import shown
from pytest_compilecheck.contract.trace.dtypes import ALIASES, NAMES, parse_dtype, takes_gradient

_EXTENDS: Final = re.compile(rf"(.+::)?{CONTRACT_NAME}")


def _parse_dtype(value: object, report: Report) -> Any:
    if value is None:
        return None
    name = parse_dtype(value, report)
    if not takes_gradient(name):
        report(f"a module cannot be made {name}: name a floating or complex dtype")
    return name


def _parse_method(value: object, report: Report) -> Any:
    if value is not None and not (isinstance(value, str) and value.isidentifier()):
        report(f"expected the name of a method such as 'forward', got {shown(value)}")
    return value


def _parse_extends(value: object, report: Report) -> Any:
    if not isinstance(value, str) or not _EXTENDS.fullmatch(value):
        report(f"expected 'name' or 'other.contract.yaml::name', got {shown(value)}")
    return value


def _parse_torch_compile(value: object, report: Report) -> Any:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        report(f"expected a mapping such as {{recompile_limit: 16}}, got {shown(value)}")
        return {}
    check_names(value, report)
    for name in value:
        if name in FIELDS or name in _TAKEN:
            cure = "it is the target" if name in _TAKEN else "write it as a key of the contract"
            report(f"{name!r} is not given here: {cure}")
    return dict(value)


_TAKEN: Final = ("model",)
_DTYPES: Final = tuple(
    name for name in (*NAMES, *ALIASES) if takes_gradient(ALIASES.get(name, name))
)
_DTYPE: Final = Kind(_parse_dtype, or_null(torch_names(_DTYPES)))
_METHOD: Final = Kind(_parse_method, or_null({"type": "string", "pattern": f"^{NAME}$"}))
_EXTENDED: Final = Kind(_parse_extends, {"type": "string", "pattern": f"^{_EXTENDS.pattern}$"})

_TORCH_COMPILE: Final = Kind(
    _parse_torch_compile,
    or_null(
        {
            "type": "object",
            "propertyNames": {**NAMES_SCHEMA, "not": {"enum": [*FIELDS, *_TAKEN]}},
        }
    ),
)

_OWN: Final = (
    Field("target", PATH, "what is compiled, as package.module:attr", 'target="mymodel:Scorer"'),
    Field(
        "arguments",
        ARGUMENTS,
        "arguments that the target is called with to make the object",
        'arguments={"width": 64}',
    ),
    Field(
        "call",
        _METHOD,
        "method of the object that is called; the object itself without it",
        'call="generate"',
    ),
    Field(
        "keywords",
        ARGUMENTS,
        "fixed keyword arguments of the call",
        'keywords={"use_cache": False}',
    ),
    Field(
        "dtype",
        _DTYPE,
        "dtype of the object, and of float inputs that name none",
        'dtype="bfloat16"',
    ),
    Field(
        "device",
        OPTIONAL_TEXT,
        "device of the object, and of inputs that name none",
        'device="cuda"',
    ),
    Field(
        "training", FLAG, "whether a module is in training mode; eval() without it", "training=True"
    ),
    Field(
        "grad",
        FLAG,
        "whether gradients are recorded; False calls under torch.no_grad()",
        "grad=False",
    ),
    Field(
        "torch_compile",
        _TORCH_COMPILE,
        "further keywords of torch.compile",
        'torch_compile={"recompile_limit": 16}',
    ),
    Field(
        "inputs",
        INPUTS,
        "arguments of the call that are made anew for each step",
        'inputs={"ids": {"shape": "B S", "dtype": "int64", "high": 1000}}, dims={"B": 1, "S": 128}',
    ),
    Field(
        "requires",
        REQUIRES,
        "packages that must be there, with version specifiers",
        'requires={"transformers": ">=5"}',
    ),
    Field("marks", MARKS, "pytest marks", 'marks=["slow"]'),
    Field(
        "skip",
        EXCUSE,
        "why the contract is not run",
        'skip={"reason": "no kernel yet", "torch": "<2.9"}',
    ),
    Field(
        "skip_without_device",
        FLAG,
        "skip the contract where the device cannot be used; an error else",
        'device="cuda", skip_without_device=True',
    ),
    Field(
        "xfail",
        EXCUSE,
        "why the contract is expected to be broken",
        'xfail="breaks in the mask, see issue 12"',
    ),
    Field("extends", _EXTENDED, "the contract whose keys this one takes over", 'extends="base"'),
)
_TRACE: Final = {"dims": DIMS, "values": VALUES}

ELSEWHERE: Final = {
    "shapes": "a file has what is made under inputs: write inputs: {x: 'B S 64'}",
    "factory": "in a file the target makes the object: name the factory there, with arguments",
    "compiles": "in a file the target is what is compiled: name it under target",
}
"""Fields that a file does not have, each with what to write instead."""

_SHARED: Final = tuple(
    Field(name, _TRACE.get(name, row.kind), row.meaning, row.example)
    for name, row in FIELDS.items()
    if name not in ELSEWHERE
)
_ROWS: Final = {row.name: row for row in (*_OWN, *_SHARED)}
_CHANGEABLE: Final = {name: row for name, row in _ROWS.items() if name not in STRUCTURE}
_MATRIX: Final = Kind(partial(parse_matrix, known=_CHANGEABLE), or_null(matrix_schema(_CHANGEABLE)))

KEYS: Final = {
    **_ROWS,
    "matrix": Field(
        "matrix",
        _MATRIX,
        "values to run with, each combination as its own contract",
        'matrix={"dtype": ["float32", "bfloat16"]}',
    ),
}
"""Every key of a contract in a file, by name."""


def parse(name: str, value: object) -> tuple[Any, list[str]]:
    """What a key's value stands for, and what is wrong with it by itself."""
    messages: list[str] = []
    kind = KEYS[name].kind
    assert kind is not None, name
    return kind.parse(value, messages.append), messages


_MEANT: Final = {"args": "arguments", "kwargs": "keywords", "parametrize": "matrix"}


def _meant(name: str, empty: str) -> str:
    """What is probably meant by a key that there is not; `empty` is an empty key above it."""
    key, colon, _ = name.partition(":")
    if colon and key in KEYS:
        return f": a blank is missing after {f'{key}:'!r}"
    if name in _MEANT:
        return f" (did you mean {_MEANT[name]!r}?)"
    below = f": indent it below {empty!r}, if it is a part of that" if empty else ""
    return did_you_mean(name, KEYS) or below


def faults_of(fields: Fields) -> Iterator[Fault]:
    """What is wrong with each key by itself."""
    empty = ""  # the key above, where nothing stands below it
    for name, written in fields.values.items():
        if name in KEYS:
            empty = name if written.value is None else ""
        if name not in KEYS:
            why = ELSEWHERE.get(name) or f"a contract has no such key{_meant(name, empty)}"
            yield Fault(f"{name}: {why}", fields.keys.get(name, fields.place))
        elif written.places.sound:
            where = FieldPlaces(written.places.place, {name: places_of(name, written.places)})
            for message in parse(name, written.value)[1]:
                yield where.fault(name, message)
