"""Names of torch's dtypes, without torch."""

from __future__ import annotations

import re

from pytest_compilecheck.contract.faults import Report, did_you_mean
from pytest_compilecheck.contract.plain import shown

ALIASES = {
    "float": "float32",
    "double": "float64",
    "half": "float16",
    "short": "int16",
    "int": "int32",
    "long": "int64",
    "chalf": "complex32",
    "cfloat": "complex64",
    "cdouble": "complex128",
}
"""Torch's second names, and the name that each stands for."""

_FLOATING = (
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "float8_e8m0fnu",
)
_COMPLEX = ("complex32", "complex64", "complex128")
_INTEGER = ("uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64")

NAMES = (*_FLOATING, *_COMPLEX, *_INTEGER, "bool")
"""Dtypes of which an input can be made."""

# What people and other tools write; torch has no such name.
_SHORT = {
    "fp16": "float16",
    "bf16": "bfloat16",
    "fp32": "float32",
    "fp64": "float64",
    "f16": "float16",
    "f32": "float32",
    "f64": "float64",
}
_BITS = re.compile(r"(u?)int(\d+)")


def parse_dtype(dtype: object, report: Report) -> str:
    """The name of a dtype, from a name, an alias or the torch.dtype itself."""
    text = dtype if isinstance(dtype, str) else str(dtype)
    name = text.removeprefix("torch.")
    if isinstance(dtype, str) or text != name:
        if name in NAMES:
            return name
        if name in ALIASES:
            return ALIASES[name]
    usual = f" (did you mean {_SHORT[name]!r}?)" if name in _SHORT else ""
    hint = usual or did_you_mean(name, (*NAMES, *ALIASES)) or ": write a name such as 'float32'"
    report(f"dtype {shown(dtype)} is unknown{hint}")
    return "float32"


def takes_gradient(dtype: str) -> bool:
    """Whether tensors of this dtype can require a gradient."""
    return dtype in _FLOATING or dtype in _COMPLEX


def integer_range(dtype: str) -> tuple[int, int] | None:
    """Smallest and largest value of an integer dtype; None for every other dtype."""
    match = _BITS.fullmatch(dtype)
    if match is None:
        return None
    bits = int(match[2])
    return (0, 2**bits - 1) if match[1] else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
