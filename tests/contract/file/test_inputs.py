"""Inputs of a contract file: what a person may write, and what is wrong with the rest."""

from __future__ import annotations

import pytest
from contract.file.loading import assert_faults, load_faults, load_one, told

from pytest_compilecheck.contract.trace.inputs import (
    Input,
    InputDict,
    InputSequence,
    MadeObject,
    PythonValue,
)
from pytest_compilecheck.contract.trace.spec import TensorSpec, spec

HEAD = "version: 1\ncontracts:\n  it:\n    target: m:f\n    dims: {B: 2}\n    inputs:\n      b: B\n"


def steps(written: str, others: str = "") -> list[Input]:
    """The input x in each step; another one takes its dims from the contract."""
    contract = load_one(f"{others}\ndims: {{B: 2}}\ninputs:\n  b: B\n  x: {written}\n")
    return [step.inputs["x"] for step in contract.contract().trace.steps]


@pytest.mark.parametrize(
    ("written", "made"),
    [
        ("B 64", spec((2, 64))),
        ("'4, 8'", spec((4, 8))),
        ("'4'", spec((4,))),
        ("[4, B]", spec((4, 2))),
        ("{shape: [B]}", spec((2,))),
        ("{shape: []}", spec(())),
        ("{shape: B, dtype: int64, low: 2, high: 9}", spec((2,), dtype="int64", low=2, high=9)),
        (
            "{shape: 'B 8', strides: [1, 2], device: cpu}",
            spec((2, 8), strides=(1, 2), device="cpu"),
        ),
        ("{shape: B, requires_grad: true}", spec((2,), requires_grad=True)),
        ("{value: 3}", PythonValue(3)),
        ("{value: {a: [1, null]}}", PythonValue({"a": [1, None]})),
        ("{value: {make: 'm:C'}}", MadeObject("m:C", {})),
        ("{tuple: [B, '4']}", InputSequence("tuple", (spec((2,)), spec((4,))))),
        ("{tuple: []}", InputSequence("tuple", ())),
        ("{list: [[B, 4], {value: 1}]}", InputSequence("list", (spec((2, 4)), PythonValue(1)))),
        ("{dict: {a: B, 'b c': {value: 1}}}", InputDict({"a": spec((2,)), "b c": PythonValue(1)})),
        ("{make: 'm:C', arguments: {a: B}}", MadeObject("m:C", {"a": spec((2,))})),
        ("{make: 'm:C', arguments: null}", MadeObject("m:C", {})),
        (
            "{dict: {a: {tuple: [{make: 'm:C', arguments: {b: {list: [B]}}}]}}}",
            InputDict(
                {
                    "a": InputSequence(
                        "tuple", (MadeObject("m:C", {"b": InputSequence("list", (spec((2,)),))}),)
                    )
                }
            ),
        ),
    ],
)
def test_one_input_for_all_steps(written: str, made: Input) -> None:
    assert steps(written) == [made]


@pytest.mark.parametrize(
    ("written", "made"),
    [
        ("[B, '4']", [spec((2,)), spec((4,))]),
        ("[[B, 4], [8]]", [spec((2, 4)), spec((8,))]),
        ("[[], '4']", [spec(()), spec((4,))]),
        ("[{value: 1}, {value: x}]", [PythonValue(1), PythonValue("x")]),
        ("[B]", [spec((2,))]),
    ],
)
def test_one_input_for_each_step(written: str, made: list[Input]) -> None:
    assert steps(written) == made


def test_dtype_and_device_of_inputs_that_name_none() -> None:
    (made,) = steps(
        "{tuple: [B, {shape: B, dtype: int64}, {shape: B, device: meta},"
        " {shape: B, device: null}]}",
        "dtype: bfloat16\ndevice: cpu",
    )
    assert isinstance(made, InputSequence)
    found = [(each.dtype, each.device) for each in made.items if isinstance(each, TensorSpec)]
    assert found == [
        ("bfloat16", "cpu"),
        ("int64", "cpu"),
        ("bfloat16", "meta"),
        ("bfloat16", None),
    ]


def test_the_dtype_of_inputs_is_that_of_the_nearest_layer() -> None:
    contract = load_one("dtype: float16\ninputs: {x: '4'}\nmatrix: {device: [meta]}")
    made = contract.contract().trace.steps[0].inputs["x"]
    assert made == spec((4,), dtype="float16", device="meta")


def test_names_of_nested_tensors() -> None:
    contract = load_one(
        """
        dims: {B: [2, 3]}
        inputs:
          pair: {tuple: ["B 4", {dict: {"a b": B}}]}
          out: {make: "m:Out", arguments: {last: {list: ["B B", {value: 1}]}}}
        """
    )
    first, second = contract.contract().trace.steps
    assert first.sizes() == {"pair[0]": (2, 4), "pair[1]['a b']": (2,), "out.last[0]": (2, 2)}
    assert second.sizes()["out.last[0]"] == (3, 3)
    assert second.named["pair[0]"] == ("B", None)


SHAPE = "expected a shape such as 'B S 64' or [8, 64], got"


VALUE = "for a Python value write"
TWO_STEPS = (
    "would be 2 steps with a shape of one dim each: write 'B S', or for several steps a list of"
    " shapes, [[B], [S]]"
)


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("§5", f": {SHAPE} 5: {VALUE} {{value: 5}}"),
        ("§null", f": {SHAPE} null: {VALUE} {{value: null}}"),
        ("§1.5", f": {SHAPE} 1.5: {VALUE} {{value: 1.5}}"),
        ("§''", ": the shape is an empty text: write [] for a tensor without dimensions"),
        ("§'B*2'", ": 'B*2' in 'B*2' is neither a size nor a dim name"),
        ("§B,", ": nothing stands beside a comma in 'B,'"),
        ("§[]", ": the list is empty: give one shape per step"),
        ("§[4, -1]", ": the size -1 in [4, -1] is negative"),
        ("[4, §x y]", ": 'x y' in [4, 'x y'] is neither a size nor a dim name"),
        (
            "§[B, S]",
            f": the list ['B', 'S'] {TWO_STEPS}",
        ),
        ("[B, §true]", f"[1]: {SHAPE} true: {VALUE} {{value: true}}"),
        ("[§[B, 1.5], B]", "[0]: 1.5 in ['B', 1.5] is neither a size nor a dim name"),
        ("{shape: §5}", f"['shape']: {SHAPE} 5"),
        ("{shape: §null}", f"['shape']: {SHAPE} null"),
        ("{shape: §-1}", f"['shape']: {SHAPE} -1"),
        ("{shape: §[[4]]}", "['shape']: [4] in [[4]] is neither a size nor a dim name"),
        ("{shape: B, dtype: §flot32}", ": dtype 'flot32' is unknown (did you mean 'float32'?)"),
        ("{shape: B, dtype: §null}", ": dtype null is unknown: write a name such as 'float32'"),
        ("{shape: B, device: §5}", ": device: expected a name such as 'cpu' or 'cuda:0', got 5"),
        (
            "{shape: B, requires_grad: §yes}",
            (
                ": requires_grad: expected true or false, got 'yes'"
                " (plain yes is a text in YAML 1.2: write true)"
            ),
        ),
        ("{shape: B, low: §x}", ": low: expected a number, got 'x'"),
        ("{shape: B, high: §.nan}", ": high: expected a number, got nan"),
        ("{shape: B, low: §3, high: 2}", ": low is 3 and high is 2: low must be below high"),
        (
            "{shape: B, dtype: int8, high: §300}",
            ": high: 300 does not fit int8 (-128 to 127)",
        ),
        (
            "{shape: B, memory_format: §last}",
            (
                ": memory_format 'last' is unknown"
                " (known are contiguous_format, channels_last, channels_last_3d)"
            ),
        ),
        (
            "{shape: B, strides: §[x]}",
            ": strides: expected a list of whole numbers, 0 or more, got ['x']",
        ),
        (
            "{shape: B, strides: §[1, 2]}",
            ": strides has 2 numbers, the shape has 1 dims: give one for each",
        ),
        ("{shape: B, §shap: 1}", ": 'shap' is no key of a tensor (did you mean 'shape'?)"),
        (
            "§{shap: B}",
            (
                ": say what it is, by one of the keys shape, value, tuple, list, dict, make"
                " (did you mean 'shape'?)"
            ),
        ),
        (
            "{§shape: B, tuple: []}",
            ": 'shape' and 'tuple' exclude each other: leave one of them out",
        ),
        ("{value: 1, §dtype: half}", ": 'dtype' is no key beside 'value'"),
        ("{tuple: §B}", "['tuple']: expected a list of inputs, got 'B'"),
        ("{list: §{}}", "['list']: expected a list of inputs, got {}"),
        ("{dict: §[B]}", "['dict']: expected a mapping of keys to inputs, got ['B']"),
        ("{tuple: [B, §5]}", f"[1]: {SHAPE} 5: {VALUE} {{value: 5}}"),
        ("{list: [{dict: {a: §5}}]}", f"[0]['a']: {SHAPE} 5: {VALUE} {{value: 5}}"),
        ("{make: §m.C}", "['make']: expected 'm:C', with a colon, got 'm.C'"),
        (
            "{make: 'm:C', §args: {}}",
            ": 'args' is no key beside 'make', which takes 'arguments' only",
        ),
        (
            "{make: 'm:C', arguments: §[B]}",
            "['arguments']: expected a mapping of argument names to inputs, got ['B']",
        ),
        (
            "{make: 'm:C', arguments: {§'1': B}}",
            "['arguments']: '1' is no name of an argument: a name has letters, digits and _",
        ),
        ("{make: 'm:C', arguments: {a: {shape: §5}}}", f".a['shape']: {SHAPE} 5"),
        ("{value: [{make: §5}]}", "['value'][0]['make']: expected 'package.module:attr', got 5"),
    ],
)
def test_faults(written: str, message: str) -> None:
    assert_faults(f"{HEAD}      x: {written}\n", f"inputs['x']{message}")


def test_every_fault_of_an_input_is_told() -> None:
    assert_faults(
        f"{HEAD}      x: {{shape: §[B, -1], dtype: §half1, low: §x, §foo: 1}}\n",
        "inputs['x']['shape']: the size -1 in ['B', -1] is negative",
        "inputs['x']: dtype 'half1' is unknown (did you mean 'half'?)",
        "inputs['x']: low: expected a number, got 'x'",
        "inputs['x']: 'foo' is no key of a tensor",
    )


@pytest.mark.parametrize("value", ["5", "x", "[x]"])
def test_what_are_no_inputs(value: str) -> None:
    (fault,) = load_faults(f"version: 1\ncontracts: {{it: {{target: 'm:f', inputs: {value}}}}}")
    assert fault.message.startswith("inputs: expected a mapping such as {'x': 'B S 64'}, got ")


def test_names_that_no_argument_has() -> None:
    assert told(load_faults(f"{HEAD}      1a: B\n")) == [
        "8:7: inputs: '1a' is no name of an argument: a name has letters, digits and _"
    ]
