from __future__ import annotations

from typing import Any

import pytest

from pytest_compilecheck.contract.file.objects import (
    parse_arguments,
    parse_path,
    python_value,
)
from pytest_compilecheck.contract.trace.inputs import (
    Input,
    InputDict,
    InputSequence,
    MadeObject,
    PythonValue,
)


def path(value: object) -> tuple[str, list[str]]:
    faults: list[str] = []
    return parse_path(value, faults.append), faults


@pytest.mark.parametrize("value", ["m:f", "a.b.c:D", "a:B.c.d", "_a1:_b2", "é:ü"])
def test_import_paths(value: str) -> None:
    assert path(value) == (value, [])


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        ("a.b.C", "expected 'a.b:C', with a colon, got 'a.b.C'"),
        ("m", "expected 'package.module:attr', got 'm'"),
        *(
            (value, f"expected 'package.module:attr', got {value!r}")
            for value in ("", ":", "m:", ":f", "a:b:c", "a b:c", "a.:b", "a-b:c", "a:1", "a:b.")
        ),
        (5, "expected 'package.module:attr', got 5"),
        (["m:f"], "expected 'package.module:attr', got ['m:f']"),
    ],
)
def test_what_is_no_import_path(value: object, fault: str) -> None:
    assert path(value)[1] == [fault]


def made(value: object) -> tuple[Input, list[str]]:
    faults: list[str] = []
    return python_value(value, faults.append), faults


@pytest.mark.parametrize("value", [None, 5, "x", [1, [2]], {"a": {"b": []}}, {"arguments": 1}])
def test_plain_values_stay_whole(value: object) -> None:
    assert made(value) == (PythonValue(value), [])


def test_objects_are_taken_apart_wherever_they_stand() -> None:
    inner = {"make": "m:C", "arguments": {"a": 1, "b": {"make": "m:D", "arguments": None}}}
    value: dict[str, Any] = {"x": [1, inner], "y": {"z": 2}}
    thing = MadeObject("m:C", {"a": PythonValue(1), "b": MadeObject("m:D", {})})
    assert made(value) == (
        InputDict(
            {
                "x": InputSequence("list", (PythonValue(1), thing)),
                "y": PythonValue({"z": 2}),
            }
        ),
        [],
    )


@pytest.mark.parametrize(
    ("value", "faults"),
    [
        ({"make": 5}, ["['make']: expected 'package.module:attr', got 5"]),
        ([{"make": "m"}], ["[0]['make']: expected 'package.module:attr', got 'm'"]),
        (
            {"a": {"make": "m:C", "args": 1}},
            ["['a']: 'args' is no key beside 'make', which takes 'arguments' only"],
        ),
        (
            {"make": "m:C", "argument": 1},
            [
                (
                    "'argument' is no key beside 'make', which takes 'arguments' only"
                    " (did you mean 'arguments'?)"
                )
            ],
        ),
        (
            {"make": "m:C", "arguments": [1]},
            ["['arguments']: expected a mapping of argument names to values, got [1]"],
        ),
        (
            {"make": "m:C", "arguments": {"1": {"make": ""}}},
            [
                "['arguments']: '1' is no name of an argument: a name has letters, digits and _",
                "['arguments']['1']['make']: expected 'package.module:attr', got ''",
            ],
        ),
    ],
)
def test_faults_of_objects(value: object, faults: list[str]) -> None:
    assert made(value)[1] == faults


def test_arguments() -> None:
    faults: list[str] = []
    assert parse_arguments(None, faults.append) == {}
    assert parse_arguments({"a": 1}, faults.append) == {"a": PythonValue(1)}
    assert faults == []
    assert parse_arguments("x", faults.append) == {}
    parse_arguments({"a b": {"make": 1}}, faults.append)
    assert faults == [
        "expected a mapping of argument names to values, got 'x'",
        "'a b' is no name of an argument: a name has letters, digits and _",
        "['a b']['make']: expected 'package.module:attr', got 1",
    ]
