from __future__ import annotations

import pytest

from pytest_compilecheck.contract.trace.inputs import (
    Input,
    InputDict,
    InputSequence,
    MadeObject,
    PythonValue,
    leaves,
    parts,
    resolve,
    tensors,
    to_plain,
)
from pytest_compilecheck.contract.trace.spec import spec

X, Y = spec("B 4"), spec("S", dtype="int64")
NESTED = InputSequence(
    "tuple",
    (
        X,
        InputDict({"a b": Y, "n": PythonValue([1])}),
        MadeObject("m:Out", {"last": InputSequence("list", (X, PythonValue(None)))}),
    ),
)


def test_parts_and_their_names() -> None:
    names = [[name for name, _ in parts(item)] for item in NESTED.items]
    assert [name for name, _ in parts(NESTED)] == ["[0]", "[1]", "[2]"]
    assert names == [[], ["['a b']", "['n']"], [".last"]]
    assert parts(PythonValue([1, 2])) == ()


def test_leaves_are_named_as_python_would_reach_them() -> None:
    assert list(leaves("x", NESTED)) == [
        ("x[0]", X),
        ("x[1]['a b']", Y),
        ("x[1]['n']", PythonValue([1])),
        ("x[2].last[0]", X),
        ("x[2].last[1]", PythonValue(None)),
    ]


def test_tensors_of_arguments() -> None:
    found = tensors({"x": NESTED, "y": Y, "n": PythonValue(1)})
    assert list(found) == ["x[0]", "x[1]['a b']", "x[2].last[0]", "y"]


def test_sizes_take_the_place_of_names_everywhere() -> None:
    made = resolve(NESTED, {"B": 2, "S": 3})
    assert {name: each.shape for name, each in tensors({"x": made}).items()} == {
        "x[0]": (2, 4),
        "x[1]['a b']": (3,),
        "x[2].last[0]": (2, 4),
    }
    assert isinstance(made, InputSequence)
    assert (made.kind, type(made.items[1]), type(made.items[2])) == (
        "tuple",
        InputDict,
        MadeObject,
    )


def test_a_dim_without_a_size() -> None:
    with pytest.raises(KeyError, match="S"):
        resolve(NESTED, {"B": 2})


@pytest.mark.parametrize(
    ("made", "data"),
    [
        (PythonValue((1, None)), {"value": [1, None]}),
        (InputSequence("tuple", ()), {"tuple": []}),
        (InputSequence("list", (PythonValue(1),)), {"list": [{"value": 1}]}),
        (InputDict({"a": PythonValue(1)}), {"dict": {"a": {"value": 1}}}),
        (
            MadeObject("m:C", {"a": PythonValue(1)}),
            {"make": "m:C", "arguments": {"a": {"value": 1}}},
        ),
    ],
)
def test_plain_data_is_as_a_contract_file_writes_it(made: Input, data: object) -> None:
    assert to_plain(made) == data


def test_plain_data_of_a_tensor() -> None:
    data = to_plain(X)
    assert (data["shape"], data["dtype"]) == (["B", 4], "float32")
