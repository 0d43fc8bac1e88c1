"""One input of a trace over its steps: one value for all of them, or a list with one for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from pytest_compilecheck.contract.faults import about
from pytest_compilecheck.contract.parsers import is_whole
from pytest_compilecheck.contract.plain import shown
from pytest_compilecheck.contract.trace.file import TraceFile
from pytest_compilecheck.contract.trace.inputs import (
    Input,
    InputDict,
    InputSequence,
    MadeObject,
    PythonValue,
    leaves,
)
from pytest_compilecheck.contract.trace.load import load_trace
from pytest_compilecheck.contract.trace.spec import TensorSpec, spec

T = TypeVar("T")

FieldReport = Callable[[str | None, str], None]
"""Takes the field that a fault is in (None for no single one) and one sentence."""


@dataclass(frozen=True, slots=True)
class Series(Generic[T]):
    """`items` has one entry per step, or a single one where `constant`.

    `field` is the contract's field it is written in, `label` its name in a message.
    """

    field: str
    label: str
    items: tuple[T, ...]
    constant: bool

    def at(self, step: int) -> T:
        """The value in a step."""
        return self.items[0] if self.constant else self.items[step]


@dataclass(frozen=True, slots=True, kw_only=True)
class DimSizes:
    """Sizes of the named dims over the steps.

    `names` are all dims that were given, those with a faulty size too; None where a fault hides
    them. Sizes from a trace file come with its path, the weight of each step and its notes.
    """

    sizes: dict[str, Series[int]]
    names: tuple[str, ...] | None
    file: str | None = None
    weights: tuple[int, ...] | None = None
    notes: tuple[str, ...] = ()


def read_inputs(field: str, label: str, value: object, report: FieldReport) -> Series[Input] | None:
    """Inputs from a shape, a spec, a tuple or dict of these, or a list; None after a fault."""
    sizes_only = isinstance(value, list) and any(is_whole(item) for item in value)
    if not isinstance(value, list) or sizes_only:
        made = _input(field, label, value, report)
        return Series(field, label, (made,), constant=True) if made else None
    if not value:
        report(field, inside(label, field, "the list is empty: give one shape per step"))
        return None
    each = [_input(field, f"{label}[{step}]", item, report) for step, item in enumerate(value)]
    whole = tuple(made for made in each if made is not None)
    return Series(field, label, whole, constant=False) if len(whole) == len(each) else None


def read_dims(dims: object, directory: str, report: FieldReport) -> DimSizes:
    """Sizes of the named dims; what is faulty is reported and left out.

    The relative path of a trace file starts at `directory`.
    """
    if isinstance(dims, TraceFile):
        return _dims_of_file(dims, directory, report)
    found = {}
    for name, value in mapping_items("dims", dims, "{'B': 8, 'S': [128, 129]}", report):
        label = f"dims[{name!r}]"
        if not name.isidentifier():
            report("dims", f"{name!r} is no dim name: a name has letters, digits and _")
            continue
        listed = value if isinstance(value, (list, tuple, range)) else [value]
        sizes = _sizes(label, listed, report, several=listed is value)
        if sizes:
            found[name] = Series("dims", label, sizes, constant=listed is not value)
    if not isinstance(dims, (Mapping, type(None))):
        return DimSizes(sizes={}, names=None)
    names = tuple(name for name in dims or () if isinstance(name, str) and name.isidentifier())
    return DimSizes(sizes=found, names=names)


def read_values(values: object, report: FieldReport) -> dict[str, Series[object]]:
    """Python arguments: a list gives one per step, all else is the same in each."""
    found: dict[str, Series[object]] = {}
    for name, value in mapping_items("values", values, "{'n': [1, 2, 3]}", report):
        label = f"values[{name!r}]"
        if isinstance(value, list) and value:
            found[name] = Series("values", label, tuple(value), constant=False)
        else:
            found[name] = Series("values", label, (value,), constant=True)
        if isinstance(value, list) and not value:
            report("values", inside(label, "values", "the list is empty: give one value per step"))
    return found


def mapping_items(
    field: str, value: object, example: str, report: FieldReport
) -> list[tuple[str, object]]:
    """The items of a field that is a mapping with names as keys; None has no items."""
    if value is None:
        return []
    if not isinstance(value, Mapping):
        report(field, f"expected a dict such as {example}, got {shown(value)}")
        return []
    for key in value:
        if not isinstance(key, str):
            report(field, f"the key {shown(key)} is no name: write it as a text")
    return [(key, item) for key, item in value.items() if isinstance(key, str)]


def inside(label: str, field: str, text: str) -> str:
    """The text with the part of the field that it is about, where it is about a part."""
    part = label.removeprefix(field)
    return about(part, text) if part else text


def _dims_of_file(file: TraceFile, directory: str, report: FieldReport) -> DimSizes:
    loaded = load_trace(file, directory)
    for fault in loaded.faults:
        report("dims", fault)
    if loaded.faults:
        return DimSizes(sizes={}, names=None, file=file.path)
    columns = zip(*(row for row, _ in loaded.steps), strict=True)
    return DimSizes(
        sizes={
            name: Series("dims", f"dims[{name!r}]", column, constant=False)
            for name, column in zip(loaded.names, columns, strict=True)
        },
        names=loaded.names,
        file=file.path,
        weights=tuple(weight for _, weight in loaded.steps),
        notes=loaded.notes,
    )


def _input(field: str, label: str, value: object, report: FieldReport) -> Input | None:
    made = _made_of(value)
    faults = [
        inside(part, field, fault)
        for part, leaf in leaves(label, made)
        if isinstance(leaf, TensorSpec)
        for fault in leaf.faults
    ]
    for fault in faults:
        report(field, fault)
    return None if faults else made


def _made_of(value: object) -> Input:
    """The input that a person describes; what is wrong is in the faults of its specs."""
    if isinstance(value, (TensorSpec, PythonValue, InputSequence, InputDict, MadeObject)):
        return value
    if isinstance(value, tuple) and any(_describes(item) for item in value):
        return InputSequence("tuple", tuple(_made_of(item) for item in value))
    if isinstance(value, Mapping):
        wrong = [key for key in value if not isinstance(key, str)]
        if wrong or not value:
            why = f"the key {shown(wrong[0])} is no text" if wrong else "the dict is empty"
            return TensorSpec((), faults=(why,))
        return InputDict({key: _made_of(item) for key, item in value.items()})
    return spec(value)


def _describes(item: object) -> bool:
    """Whether an item of a tuple is an input of its own; a size and a dim name are none."""
    if isinstance(item, tuple):
        return any(_describes(inner) for inner in item)
    return isinstance(item, (TensorSpec, Mapping))


def _sizes(
    label: str, sizes: Sequence[object], report: FieldReport, *, several: bool
) -> tuple[int, ...]:
    """The sizes of one dim; none after a fault."""
    if not sizes:
        report("dims", inside(label, "dims", "the list is empty: give one size per step"))
    good: list[int] = []
    for step, size in enumerate(sizes):
        if is_whole(size) and size >= 0:
            good.append(size)
        else:
            text = f"expected a whole number, 0 or more, got {shown(size)}"
            report("dims", inside(f"{label}[{step}]" if several else label, "dims", text))
    return tuple(good) if len(good) == len(sizes) else ()
