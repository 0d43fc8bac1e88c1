from __future__ import annotations

from typing import Any

import pytest

from pytest_compilecheck.contract.file.compose import compose
from pytest_compilecheck.contract.file.options import (
    OptionError,
    contract_name,
    dims_text,
    document,
    field_text,
    inputs_text,
)
from pytest_compilecheck.contract.file.text import decode


def read(text: str) -> Any:
    written, faults = compose(decode(text.encode(), "it.yaml"))
    assert faults == []
    return written.value


@pytest.mark.parametrize(
    ("given", "inputs"),
    [
        (["x=B S 64"], {"x": "B S 64"}),
        (["x=8, 64"], {"x": "8, 64"}),
        (["x = B 8 : bfloat16"], {"x": {"shape": "B 8", "dtype": "bfloat16"}}),
        (["ids=B S:int64:<1000"], {"ids": {"shape": "B S", "dtype": "int64", "high": 1000}}),
        (["x=4:<0.5", "y=4"], {"x": {"shape": "4", "high": 0.5}, "y": "4"}),
        (
            ["x={shape: B S, low: -1}", "y=[8, 64]"],
            {"x": {"shape": "B S", "low": -1}, "y": [8, 64]},
        ),
        (['{pair: {tuple: ["B S", "B"]}}'], {"pair": {"tuple": ["B S", "B"]}}),
        # What is wrong stays as it was typed: the reader of contract files tells of it.
        (["x=4:int64:<many"], {"x": {"shape": "4", "dtype": "int64", "high": "many"}}),
        (["a b=4"], {"a b": "4"}),
    ],
)
def test_inputs(given: list[str], inputs: object) -> None:
    assert read(inputs_text(given)) == inputs


@pytest.mark.parametrize(
    ("given", "dims"),
    [
        (["B=1", "S=128,129"], {"B": 1, "S": [128, 129]}),
        (["B=1,S=128|129|256"], {"B": 1, "S": [128, 129, 256]}),
        (["B=1,S=128,129", "T=2"], {"B": 1, "S": [128, 129], "T": 2}),
        (["B=1 S=128, 129"], {"B": 1, "S": [128, 129]}),
        (["S=many"], {"S": "many"}),
        (["S="], {"S": []}),
        (["{trace_file: lengths.csv}"], {"trace_file": "lengths.csv"}),
    ],
)
def test_dims(given: list[str], dims: object) -> None:
    assert read(dims_text(given)) == dims


@pytest.mark.parametrize("given", ["x", "=4", " = 4", "B S 64"])
def test_an_input_has_a_name(given: str) -> None:
    with pytest.raises(OptionError, match=r"--inputs '.*': expected NAME=\.\.\. such as"):
        inputs_text([given])


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("ids=B S:int64:500", "500 is no dtype; for values below 500 write :<500"),
        ("ids=B S:0.5", "0.5 is no dtype; for values below 0.5 write :<0.5"),
        ("ids=B S:int64:half", "expected NAME=SHAPE, with one :DTYPE and one :<HIGH at most"),
        ("ids=B:<3:<4", "expected NAME=SHAPE, with one :DTYPE and one :<HIGH at most"),
    ],
)
def test_what_stands_behind_a_shape(given: str, told: str) -> None:
    with pytest.raises(OptionError) as caught:
        inputs_text([given])
    assert str(caught.value) == f"--inputs {given!r}: {told}"


def test_a_mapping_stands_alone() -> None:
    with pytest.raises(OptionError):
        inputs_text(["{x: B S}", "y"])


def test_sizes_have_a_name() -> None:
    with pytest.raises(OptionError, match="'128': expected NAME=SIZES"):
        dims_text(["128,S=3"])


def test_a_field_has_a_key() -> None:
    assert field_text("values={k: [1, 2]}") == ("values", "{k: [1, 2]}")
    with pytest.raises(OptionError, match="--set 'dynamic'"):
        field_text("dynamic")


def test_what_was_typed_stays_inside_its_field() -> None:
    text = document("a", [("arguments", "{a: 1,\nb: 2}\nmax_graphs: 1"), ("dtype", "bfloat16")])
    assert "\n      max_graphs: 1\n    dtype:\n" in text
    text = document("off", [("arguments", "a: 1\nb: {c: 2}\n"), ("seed", "3"), ("mode", "")])
    arguments = {"a": 1, "b": {"c": 2}}
    fields = {"arguments": arguments, "seed": 3, "mode": None}
    assert read(text) == {"version": 1, "contracts": {"off": fields}}


@pytest.mark.parametrize(
    ("target", "name"),
    [
        ("transformers:LlamaForCausalLM", "LlamaForCausalLM"),
        ("a.b:C._make", "make"),
        ("a:größe", "gr__e"),
        ("a:_", "contract"),
    ],
)
def test_a_contract_is_named_after_its_target(target: str, name: str) -> None:
    assert contract_name(target) == name
