from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import torch
from torch.nn.utils.rnn import pack_sequence

from pytest_compilecheck.contract.trace.inputs import InputDict, MadeObject
from pytest_compilecheck.contract.trace.model import Step
from pytest_compilecheck.contract.trace.spec import TensorSpec
from pytest_compilecheck.observe.running.input_maker import InputMaker
from pytest_compilecheck.observe.running.inputs import make_inputs

SPEC = TensorSpec(shape=(2, 3))
STEP = Step(index=0, inputs={"x": SPEC, "more": InputDict({"mask": SPEC})})

Make = Callable[[], torch.Tensor]


def test_none_leaves_it_to_the_tensor() -> None:
    maker = InputMaker(lambda _name, _spec, _make: None)
    made, plain = make_inputs(STEP, 7, maker), make_inputs(STEP, 7)
    assert torch.equal(made["x"], plain["x"])
    assert torch.equal(made["more"]["mask"], plain["more"]["mask"])
    assert list(maker.remade) == []


def test_each_tensor_is_asked_for_by_its_name() -> None:
    asked: list[tuple[str, Any]] = []

    def ask(name: str, spec: TensorSpec, make: Make) -> object:
        asked.append((name, spec))
        return [make()] if name == "x" else None

    made = make_inputs(STEP, 7, InputMaker(ask))
    assert asked == [("x", SPEC), ("more['mask']", SPEC)]
    assert torch.equal(made["x"][0], make_inputs(STEP, 7)["x"])


def jagged(tensor: torch.Tensor) -> torch.Tensor:
    return torch.nested.nested_tensor(list(tensor), layout=torch.jagged)


@pytest.mark.parametrize(
    ("change", "remade"),
    [
        (lambda tensor: tensor.double(), False),
        (torch.nn.Parameter, False),
        (lambda tensor: tensor.t(), True),
        (lambda tensor: tensor[0], True),
        (jagged, True),
        (lambda tensor: [tensor], True),
        (lambda tensor: pack_sequence(list(tensor)), True),
    ],
)
def test_what_has_other_sizes_is_noted(change: Callable[..., object], remade: bool) -> None:
    maker = InputMaker(lambda name, _, make: change(make()) if name == "x" else None)
    make_inputs(STEP, 7, maker)
    assert list(maker.remade) == (["x"] if remade else [])


def test_random_numbers_are_the_same_each_time() -> None:
    maker = InputMaker(lambda _name, _spec, _make: torch.rand(2, 3))
    first = make_inputs(STEP, 7, maker)
    torch.rand(9)
    again, other = make_inputs(STEP, 7, maker), make_inputs(STEP, 8, maker)
    assert torch.equal(first["x"], again["x"])
    assert not torch.equal(first["x"], other["x"])
    assert not torch.equal(first["x"], first["more"]["mask"])


def test_it_asks_aside() -> None:
    inside: list[str] = []

    @contextmanager
    def aside() -> Iterator[None]:
        inside.append("in")
        yield
        inside.append("out")

    def ask(name: str, _: TensorSpec, __: Make) -> object:
        inside.append(name)
        return 1

    make_inputs(Step(index=0, inputs={"x": SPEC}), 7, InputMaker(ask, aside))
    assert inside == ["in", "x", "out"]


def test_tensors_for_an_object_that_the_trace_makes() -> None:
    inputs = {"x": MadeObject("builtins:dict", {"a": SPEC})}
    maker = InputMaker(lambda name, _spec, _make: name)
    assert make_inputs(Step(index=0, inputs=inputs), 7, maker) == {"x": {"a": "x.a"}}
