from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_compilecheck.contract.trace.inputs import PythonValue
from pytest_compilecheck.contract.trace.model import Trace
from pytest_compilecheck.contract.trace.shapes import Arguments, read_trace
from pytest_compilecheck.contract.trace.spec import TensorSpec, spec

SIZES = st.integers(0, 9)


def read(
    *names: str,
    fixtures: set[str] | None = frozenset(),  # type: ignore[assignment]
    optional: tuple[str, ...] = (),
    compiled: tuple[str, ...] = (),
    **given: object,
) -> tuple[Trace, list[tuple[str | None, str]]]:
    faults: list[tuple[str | None, str]] = []
    arguments = Arguments(
        subject="test_f", names=names, fixtures=fixtures, optional=optional, compiled=compiled
    )
    trace = read_trace(given, arguments, lambda field, message: faults.append((field, message)))
    return trace, faults


def steps(*names: str, **given: Any) -> list[dict[str, object]]:
    """What each step hands to the function: shapes of tensors, and values."""
    trace, faults = read(*names, **given)
    assert faults == []
    assert [step.index for step in trace.steps] == list(range(len(trace.steps)))
    return [
        {
            name: made.shape if isinstance(made, TensorSpec) else made.value
            for name, made in step.inputs.items()
        }
        for step in trace.steps
    ]


def test_nothing_given_is_one_step() -> None:
    assert steps() == [{}]
    assert steps("model", fixtures={"model"}, shapes=None, dims=None, values=None) == [{}]


def test_one_tensor_argument() -> None:
    assert steps("x", shapes=[(8, 128), (8, 256)]) == [{"x": (8, 128)}, {"x": (8, 256)}]


def test_the_one_argument_that_nobody_else_makes() -> None:
    found = steps(
        *("model", "x", "n", "flag"),
        fixtures={"model"},
        optional=("flag",),
        shapes=[(1,)],
        values={"n": 3},
    )
    assert found == [{"x": (1,), "n": 3}]


@pytest.mark.parametrize("shapes", [(8, "S"), "8 S", spec("8 S"), {"x": "8 S"}])
def test_one_shape_stands_for_every_step(shapes: object) -> None:
    found = steps("x", shapes=shapes, dims={"S": [1, 2, 3]})
    assert found == [{"x": (8, 1)}, {"x": (8, 2)}, {"x": (8, 3)}]


def test_several_in_step_with_specs() -> None:
    trace, faults = read(
        *("ids", "x", "n"),
        shapes={"ids": spec("B S", dtype="int64", high=32000), "x": ["B S 64", (1, "S", 2)]},
        dims={"B": 1, "S": [128, 129]},
        values={"n": ["a", "b"]},
    )
    assert faults == []
    last = trace.steps[1]
    assert last.inputs == {
        "ids": TensorSpec(shape=(1, 129), dtype="int64", high=32000),
        "x": TensorSpec(shape=(1, 129, 2)),
        "n": PythonValue("b"),
    }
    assert (last.index, last.dims, last.weight) == (1, {"B": 1, "S": 129}, 1)


def test_lists_of_specs() -> None:
    given_specs = [spec((1,), dtype="int8"), spec((1,), dtype="half")]
    trace, _ = read("x", shapes=given_specs)
    assert [step.inputs for step in trace.steps] == [{"x": made} for made in given_specs]


def test_values_that_are_no_list_are_constant() -> None:
    found = steps("n", "pair", values={"n": [[1], [2]], "pair": (1, 2)})
    assert found == [{"n": [1], "pair": (1, 2)}, {"n": [2], "pair": (1, 2)}]


def test_a_range_of_sizes() -> None:
    assert steps("x", shapes="S", dims={"S": range(3)}) == [{"x": (0,)}, {"x": (1,)}, {"x": (2,)}]


@given(
    st.integers(1, 6).flatmap(lambda n: st.tuples(*[st.lists(SIZES, min_size=n, max_size=n)] * 2))
)
def test_the_trace_follows_its_lists(lists: tuple[list[int], list[int]]) -> None:
    sizes, numbers = lists
    found = steps("x", "n", shapes={"x": "B S"}, dims={"B": 2, "S": sizes}, values={"n": numbers})
    assert found == [{"x": (2, s), "n": n} for s, n in zip(sizes, numbers, strict=True)]


@given(st.lists(st.integers(1, 4), min_size=3, max_size=3))
def test_lists_are_of_one_length_or_a_fault(lengths: list[int]) -> None:
    shapes, sizes, numbers = lengths
    _, faults = read(
        *("x", "n"),
        shapes={"x": ["S"] * shapes},
        dims={"S": [1] * sizes},
        values={"n": [0] * numbers},
    )
    message = (
        f"the lists differ in length: shapes['x'] has {shapes}, dims['S'] has {sizes} and "
        f"values['n'] has {numbers}; each has one entry per step"
    )
    assert faults == ([] if len(set(lengths)) == 1 else [("shapes", message)])


SHAPE_FAULTS: list[tuple[object, str]] = [
    (3, "expected a shape such as (8, 128) or 'B S 64', got 3"),
    ([8, 128], "[8, 128] is a list: write a shape as a tuple, (8, 128)"),
    ([(8,), (-1,)], "[1]: the size -1 in (-1,) is negative"),
    ({"x": ["8", "8 ?"]}, "['x'][1]: '?' in '8 ?' is neither a size nor a dim name"),
    ({"x": spec("8", dtype="floot")}, "['x']: dtype 'floot' is unknown (did you mean 'float'?)"),
    ([], "the list is empty: give one shape per step"),
    ({"x": []}, "['x']: the list is empty: give one shape per step"),
    ({"y": "8"}, "test_f has no parameter 'y'"),
    ({"x": "8", 3: "8"}, "the key 3 is no name: write it as a text"),
    ({"x": "B"}, "the dim 'B' of shapes['x'] has no size in dims: write e.g. dims={'B': 8}"),
]


@pytest.mark.parametrize(("shapes", "fault"), SHAPE_FAULTS)
def test_faulty_shapes(shapes: object, fault: str) -> None:
    assert read("x", shapes=shapes)[1] == [("shapes", fault)]


DIM_FAULTS: list[tuple[object, str]] = [
    ([1], "expected a dict such as {'B': 8, 'S': [128, 129]}, got [1]"),
    ({"B": []}, "['B']: the list is empty: give one size per step"),
    ({"B": -1}, "['B']: expected a whole number, 0 or more, got -1"),
    ({"B": [1, True]}, "['B'][1]: expected a whole number, 0 or more, got True"),
    ({"B": "8"}, "['B']: expected a whole number, 0 or more, got '8'"),
    ({"B": [1.0]}, "['B'][0]: expected a whole number, 0 or more, got 1.0"),
]


@pytest.mark.parametrize(("dims", "fault"), DIM_FAULTS)
def test_faulty_dims(dims: object, fault: str) -> None:
    shapes = {"x": "B"} if isinstance(dims, dict) else {"x": "8"}
    assert read("x", shapes=shapes, dims=dims)[1] == [("dims", fault)]


def test_a_dim_that_no_shape_uses() -> None:
    _, faults = read("x", shapes="Batch Seq", dims={"Batch": 8, "Sec": 3})
    assert faults == [
        ("shapes", "the dim 'Seq' of shapes has no size in dims: write e.g. dims={'Seq': 8}"),
        ("dims", "no shape uses the dim 'Sec'"),
    ]
    assert read("x", shapes="Batch", dims={"Batch": 8, "Bath": 8})[1] == [
        ("dims", "no shape uses the dim 'Bath' (did you mean 'Batch'?)")
    ]
    assert read(dims={"B": 8})[1] == [("dims", "no shape uses the dim 'B'")]


def test_dims_have_names() -> None:
    _, faults = read("x", shapes="8", dims={"a b": 8})
    assert ("dims", "'a b' is no dim name: a name has letters, digits and _") in faults


@pytest.mark.parametrize(
    ("values", "fault"),
    [
        ([1], "expected a dict such as {'n': [1, 2, 3]}, got [1]"),
        ({"n": []}, "['n']: the list is empty: give one value per step"),
        ({"n": 1, "m": 2}, "test_f has no parameter 'm'"),
        ({1: 2}, "the key 1 is no name: write it as a text"),
    ],
)
def test_faulty_values(values: object, fault: str) -> None:
    assert read("n", fixtures={"n"}, values=values)[1] == [("values", fault)]


def test_made_twice() -> None:
    assert read("x", shapes={"x": "8"}, values={"x": 1})[1] == [
        ("values", "'x' is made by shapes too: leave it out of one of them")
    ]


def test_compiled_and_made() -> None:
    _, faults = read("f", "g", compiled=("f", "g"), shapes={"f": "8"}, values={"g": 1})
    assert faults == [
        ("compiles", "'f' is made by shapes: only a fixture's value is compiled"),
        ("compiles", "'g' is made by values: only a fixture's value is compiled"),
    ]


def test_a_misspelt_argument_is_named_once() -> None:
    assert read("mask", shapes={"msk": "8"})[1] == [
        ("shapes", "test_f has no parameter 'msk' (did you mean 'mask'?)")
    ]


def test_an_argument_that_nothing_makes() -> None:
    message = (
        "nothing makes the argument 'y' of test_f: "
        "add it to shapes or values, or write a fixture of this name"
    )
    assert read("x", "y", "m", shapes={"x": "8"}, compiled=("m",))[1] == [(None, message)]
    assert read("x", "y", shapes={"x": "8"}, fixtures=None)[1] == []


@pytest.mark.parametrize(
    ("names", "fault"),
    [
        (("x", "y", "z"), "x, y and z could be meant: write shapes={'x': ...}"),
        (("m",), "test_f has no argument left to make: name one, shapes={'x': ...}"),
    ],
)
def test_which_argument(names: tuple[str, ...], fault: str) -> None:
    assert read(*names, fixtures={"m"}, shapes=[(8,)])[1] == [("shapes", fault)]


def test_plain_form() -> None:
    trace, _ = read("x", "n", shapes={"x": "B"}, dims={"B": 3}, values={"n": print})
    assert trace.to_dict() == [
        {
            "index": 0,
            "inputs": {"x": spec((3,)).to_dict(), "n": {"value": "builtins.print"}},
            "dims": {"B": 3},
            "weight": 1,
        }
    ]
