"""Makes the inputs of a step from their specs."""

from __future__ import annotations

import copy
import importlib
import operator
import warnings
import zlib
from collections.abc import Mapping
from functools import partial
from typing import Any

import torch

from pytest_compilecheck.contract.faults import did_you_mean
from pytest_compilecheck.contract.trace.inputs import (
    Input,
    InputDict,
    InputSequence,
    MadeObject,
    PythonValue,
    parts,
)
from pytest_compilecheck.contract.trace.model import Step
from pytest_compilecheck.contract.trace.spec import TensorSpec
from pytest_compilecheck.observe.errors import told
from pytest_compilecheck.observe.running.input_maker import InputMaker

_HIGHEST = 2**63 - 1  # torch.randint draws below this; the top half of uint64 is out of its reach
_INTEGER_HIGH = 10  # small enough to be an index into most tables of a model


def make_inputs(step: Step, seed: int, maker: InputMaker | None = None) -> dict[str, Any]:
    """Fresh arguments of a step: the same values each time, whatever ran before.

    A `maker` may put something else in place of each tensor; it seeds torch.

    Raises:
        InputError: torch cannot make a tensor here, e.g. for a device that the machine lacks.
    """
    return make_objects(step.inputs, f"{seed}/{step.index}", maker)


def make_objects(
    inputs: Mapping[str, Input], seed: str, maker: InputMaker | None = None
) -> dict[str, Any]:
    """Fresh objects for inputs whose specs hold sizes only; equal seeds give equal values.

    Raises:
        InputError: torch cannot make a tensor here, or what is named cannot be imported or called.
    """
    return {name: _made(name, made, seed, maker) for name, made in inputs.items()}


class InputError(RuntimeError):
    """An input of a trace cannot be made on this machine."""


def _made(label: str, made: Input, seed: str, maker: InputMaker | None) -> Any:
    if isinstance(made, TensorSpec):
        number = _seed_of(f"{seed}/{label}")
        plain = partial(_tensor, label, made, number)
        return plain() if maker is None else maker.make(label, made, number, plain)
    if isinstance(made, PythonValue):
        return made.value
    if isinstance(made, MadeObject):  # what is called may change its arguments
        made = copy.deepcopy(made)
    inner = [_made(label + suffix, item, seed, maker) for suffix, item in parts(made)]
    if isinstance(made, InputSequence):
        return tuple(inner) if made.kind == "tuple" else inner
    if isinstance(made, InputDict):
        return dict(zip(made.items, inner, strict=True))
    return _called(label, made, dict(zip(made.arguments, inner, strict=True)))


def _called(label: str, made: MadeObject, arguments: dict[str, Any]) -> Any:
    hint = ""
    try:
        try:
            called = import_path(made.path)
        except AttributeError as error:
            hint = nearest(error)
            raise
        return called(**arguments)
    except Exception as error:
        why = f"{made.path} cannot make the input {label!r}: {told(error)}{hint}"
        raise InputError(why) from error


def nearest(error: BaseException) -> str:
    """For a message: a name that there is, where one was asked for that is not; or ""."""
    if not isinstance(error, AttributeError) or error.name is None:
        return ""
    return did_you_mean(error.name, dir(error.obj))


def import_path(path: str) -> Any:
    """What "package.module:attr" names; `attr` may be dotted.

    Raises:
        Exception: whatever the import raises, AttributeError where the module has no such name,
            RuntimeError where it would end the process.
    """
    module, _, name = path.partition(":")
    try:
        return operator.attrgetter(name)(importlib.import_module(module))
    except SystemExit as error:
        raise RuntimeError(
            f"{module} ends the program when it is imported (SystemExit: {error}): put that under"
            ' `if __name__ == "__main__":`'
        ) from error


def _tensor(name: str, spec: TensorSpec, seed: int) -> torch.Tensor:
    try:
        return make_tensor(spec, seed)
    except (RuntimeError, AssertionError, TypeError, ValueError, OverflowError) as error:
        where = f" on {spec.device}" if spec.device is not None else ""
        raise InputError(
            f"the input {name!r} ({spec.dtype}, {list(spec.shape)}) cannot be made{where}: "
            f"{told(error)}. Change its spec, or skip the test where torch cannot make it"
        ) from error


def make_tensor(spec: TensorSpec, seed: int) -> torch.Tensor:
    """A tensor of random values as `spec` says (its shape all sizes).

    Floats are standard normal, or uniform where a range is given; ints are below 10 where none is.

    Raises:
        Exception: whatever torch raises where it cannot make it.
    """
    dtype: torch.dtype = getattr(torch, spec.dtype)
    shape = tuple(int(size) for size in spec.shape)
    generator = torch.Generator().manual_seed(seed)
    drawn = shape if spec.strides is None else (_extent(shape, spec.strides),)
    with warnings.catch_warnings():  # torch warns that complex32 is experimental
        warnings.simplefilter("ignore")
        tensor = _values(spec, drawn, dtype, generator).to(dtype)
    if dtype.is_floating_point and spec.high is not None:  # a short dtype may round up to it
        tensor = tensor.masked_fill(tensor >= spec.high, _low(spec))
    # The device comes last: the same values on every device.
    tensor = tensor.to(spec.device if spec.device is not None else torch.empty(0).device)
    if spec.memory_format is not None:
        tensor = tensor.contiguous(memory_format=getattr(torch, spec.memory_format))
    if spec.strides is not None:
        strided = torch.empty_strided(shape, spec.strides, dtype=dtype, device=tensor.device)
        # What lies in memory is filled: of elements that share a place, each can be written once.
        strided.as_strided(tensor.shape, (1,)).copy_(tensor)
        tensor = strided
    return tensor.requires_grad_(spec.requires_grad)


def _extent(shape: tuple[int, ...], strides: tuple[int, ...]) -> int:
    """How many elements a tensor of such strides spans in memory."""
    spans = ((size - 1) * stride for size, stride in zip(shape, strides, strict=True))
    return 0 if 0 in shape else 1 + sum(spans)


def _values(
    spec: TensorSpec, shape: tuple[int, ...], dtype: torch.dtype, generator: torch.Generator
) -> torch.Tensor:
    options: dict[str, Any] = {"generator": generator, "device": "cpu"}
    if dtype is torch.bool:
        return torch.randint(0, 2, shape, **options)
    if not (dtype.is_floating_point or dtype.is_complex):
        low = int(_low(spec))
        high = int(spec.high) if spec.high is not None else max(_INTEGER_HIGH, low + 1)
        high = min(high, _HIGHEST)
        return torch.randint(low, high, shape, dtype=torch.int64, **options)
    if spec.low is None and spec.high is None:
        drawn = torch.complex64 if dtype.is_complex else torch.float32
        return torch.randn(shape, dtype=drawn, **options)
    bottom = _low(spec)
    top = spec.high if spec.high is not None else bottom + 1
    # In double precision, and rounded once: else a narrow range far from 0 is left.
    return torch.rand(shape, dtype=torch.float32, **options).double() * (top - bottom) + bottom


def _low(spec: TensorSpec) -> float:
    """The least value: where none is given 0, or what lies 1 below a high that is not above it."""
    if spec.low is not None:
        return spec.low
    return 0 if spec.high is None else min(0, spec.high - 1)


def _seed_of(text: str) -> int:
    # A checksum, because Python's own hash of a text differs from process to process.
    return zlib.crc32(text.encode())
