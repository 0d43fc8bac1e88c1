"""What a tensor argument is made like: `spec("B S", dtype="int64", high=32000)`."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_compilecheck import codec
from pytest_compilecheck.contract.faults import Report, did_you_mean
from pytest_compilecheck.contract.parsers import flag, is_whole
from pytest_compilecheck.contract.plain import shown
from pytest_compilecheck.contract.trace.dtypes import integer_range, parse_dtype, takes_gradient
from pytest_compilecheck.contract.trace.shape_language import Dims, parse_shape

FORMAT_RANKS = {"contiguous_format": None, "channels_last": 4, "channels_last_3d": 5}
"""The rank that each memory format asks for; None where any will do."""


@dataclass(frozen=True, slots=True)
class TensorSpec:
    """How to make one tensor. `shape` holds sizes and names of dims; `resolve` sizes the names.

    Values lie from `low` (included) to `high` (excluded); None leaves them to the maker of inputs.
    `dtype` and `memory_format` are torch's names, `device` a device string, None for torch's
    default. `strides` counts elements. `faults` says what is wrong with the arguments it was made
    from: a contract that uses such a spec is refused.
    """

    shape: Dims
    dtype: str = "float32"
    device: str | None = None
    requires_grad: bool = False
    low: float | None = None
    high: float | None = None
    memory_format: str | None = None
    strides: tuple[int, ...] | None = None
    faults: tuple[str, ...] = field(default=(), repr=False)

    @property
    def dim_names(self) -> tuple[str, ...]:
        """Names of dims in the shape, in order, each once."""
        return tuple(dict.fromkeys(dim for dim in self.shape if isinstance(dim, str)))

    def resolve(self, dims: Mapping[str, int]) -> TensorSpec:
        """The same spec with a size in place of each dim name.

        Raises:
            KeyError: a dim of the shape has no size.
        """
        sizes = tuple(dims[dim] if isinstance(dim, str) else dim for dim in self.shape)
        return dataclasses.replace(self, shape=sizes)

    def to_dict(self) -> dict[str, Any]:
        """JSON-able form."""
        data: dict[str, Any] = codec.encode(self)
        del data["faults"]
        return data


def spec(
    shape: object,
    *,
    dtype: object = "float32",
    device: object = None,
    requires_grad: bool = False,
    low: float | None = None,
    high: float | None = None,
    memory_format: object = None,
    strides: tuple[int, ...] | None = None,
) -> TensorSpec:
    """Describe a tensor argument of a contract.

    Args:
        shape: "B S 64" or (8, 128), with sizes and names from `dims`.
        dtype: a name such as "int64", or a torch.dtype.
        device: a name such as "cuda:0", or a torch.device; None for torch's default.
        requires_grad: whether the tensor asks for a gradient.
        low: smallest value; None for the usual one of the dtype.
        high: values stay below this; for token ids the size of the vocabulary.
        memory_format: "channels_last", "channels_last_3d" or "contiguous_format", or torch's own.
        strides: elements to step for each dim, in place of a memory format.

    Never raises: what is wrong is reported with the contract's other faults when it is read.
    """
    faults: list[str] = []
    made = TensorSpec(
        shape=parse_shape(shape, faults.append),
        dtype=parse_dtype(dtype, faults.append),
        device=_device(device, faults.append),
        requires_grad=flag(requires_grad, lambda text: faults.append(f"requires_grad: {text}")),
        low=_number("low", low, faults.append),
        high=_number("high", high, faults.append),
        memory_format=_memory_format(memory_format, faults.append),
        strides=_strides(strides, faults.append),
    )
    if not faults:
        _check_layout(made, faults.append)
        _check_values(made, faults.append)
    return dataclasses.replace(made, faults=tuple(faults))


def _device(device: object, report: Report) -> str | None:
    if device is None or (isinstance(device, str) and device):
        return device
    # A torch.device, told by its name because torch is not imported here.
    if type(device).__name__ == "device":
        return str(device)
    report(f"device: expected a name such as 'cpu' or 'cuda:0', got {shown(device)}")
    return None


def _number(name: str, value: object, report: Report) -> float | None:
    if value is None or is_whole(value) or (isinstance(value, float) and math.isfinite(value)):
        return value
    report(f"{name}: expected a number, got {shown(value)}")
    return None


def _memory_format(memory_format: object, report: Report) -> str | None:
    if memory_format is None:
        return None
    name = str(memory_format).removeprefix("torch.")
    if name in FORMAT_RANKS:
        return name
    hint = did_you_mean(name, FORMAT_RANKS) or f" (known are {', '.join(FORMAT_RANKS)})"
    report(f"memory_format {shown(memory_format)} is unknown{hint}")
    return None


def _strides(strides: object, report: Report) -> tuple[int, ...] | None:
    if strides is None:
        return None
    if isinstance(strides, tuple) and all(is_whole(step) and step >= 0 for step in strides):
        return strides
    report(f"strides: expected a tuple of whole numbers, 0 or more, got {shown(strides)}")
    return None


def _check_layout(made: TensorSpec, report: Report) -> None:
    rank = len(made.shape)
    if made.memory_format and made.strides is not None:
        report("memory_format and strides exclude each other: leave one of them out")
    needed = FORMAT_RANKS[made.memory_format] if made.memory_format else None
    if needed not in (None, rank):
        report(f"memory_format {made.memory_format!r} needs {needed} dims, the shape has {rank}")
    if made.strides is not None and len(made.strides) != rank:
        report(
            f"strides has {len(made.strides)} numbers, the shape has {rank} dims: give one for each"
        )


def _check_values(made: TensorSpec, report: Report) -> None:
    if made.requires_grad and not takes_gradient(made.dtype):
        report(f"requires_grad: a tensor of {made.dtype} has no gradient: leave it out")
    if made.low is not None and made.high is not None and made.low >= made.high:
        report(f"low is {made.low} and high is {made.high}: low must be below high")
    limits = integer_range(made.dtype)
    if limits is None:
        return
    bottom, top = limits
    for name, value, least, most in (
        ("low", made.low, bottom, top),
        ("high", made.high, bottom + 1, top + 1),
    ):
        if value is None:
            continue
        if not isinstance(value, int):
            report(f"{name}: expected a whole number for {made.dtype}, got {value}")
        elif not least <= value <= most:
            report(f"{name}={value} does not fit {made.dtype} ({bottom} to {top})")
