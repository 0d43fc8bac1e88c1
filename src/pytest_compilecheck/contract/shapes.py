"""Turns a contract's `shapes`, `dims` and `values` into its trace."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_compilecheck.contract.faults import did_you_mean
from pytest_compilecheck.contract.series import (
    DimSizes,
    FieldReport,
    Series,
    inside,
    mapping_items,
    read_dims,
    read_specs,
    read_values,
)
from pytest_compilecheck.contract.spec import TensorSpec
from pytest_compilecheck.contract.trace import Input, PythonValue, Step, Trace

__all__ = ["Arguments", "PythonValue", "Step", "Trace", "read_trace"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Arguments:
    """The parameters of a marked function, and who makes which.

    `subject` names the function. `fixtures` holds the names that pytest makes (parametrized ones
    too), None where that is not known. `optional` are the parameters with a default value,
    `compiled` those whose value is to be compiled.
    """

    subject: str
    names: tuple[str, ...]
    fixtures: Container[str] | None = None
    optional: Container[str] = ()
    compiled: tuple[str, ...] = ()

    def made_elsewhere(self, name: str) -> bool:
        """Whether the argument comes from pytest or from its default."""
        from_fixture = self.fixtures is not None and name in self.fixtures
        return from_fixture or name in self.optional or name in self.compiled


def read_trace(
    given: Mapping[str, object], arguments: Arguments, report: FieldReport, directory: str = ""
) -> Trace:
    """The trace of a contract; each fault is reported with its field.

    `given` may hold "shapes", "dims" and "values" as a person wrote them; `directory` is where the
    relative path of a trace file starts, "" for the current one. What comes back after a report is
    no trace to run.
    """
    values = read_values(given.get("values"), report)
    dims = read_dims(given.get("dims"), directory, report)
    specs = _read_shapes(given.get("shapes"), values, arguments, report)
    names_known = _check_names(specs or {}, values, arguments, report)
    if specs is None or not names_known:
        # The checks below would name the consequences of the same mistake.
        return Trace()
    _check_arguments(specs, values, arguments, report)
    _check_dims(specs, dims, report)
    length = _length([*specs.values(), *dims.sizes.values(), *values.values()], dims, report)
    if length is None or not _used_dims(specs).keys() <= dims.sizes.keys():
        return Trace()
    steps = tuple(_step(index, specs, dims, values) for index in range(length))
    return Trace(steps, dims.notes)


def _read_shapes(
    shapes: object, values: Mapping[str, object], arguments: Arguments, report: FieldReport
) -> dict[str, Series[TensorSpec]] | None:
    """Specs by argument; None after a fault."""
    if shapes is None:
        return {}
    if not isinstance(shapes, Mapping):
        name = _single_tensor(values, arguments, report)
        series = read_specs("shapes", shapes, report)
        return {name: series} if name and series else None
    found = {}
    for name, value in mapping_items("shapes", shapes, "{'x': 'B S 64'}", report):
        found[name] = read_specs(f"shapes[{name!r}]", value, report)
    whole = {name: series for name, series in found.items() if series is not None}
    return whole if len(whole) == len(found) else None


def _single_tensor(
    values: Mapping[str, object], arguments: Arguments, report: FieldReport
) -> str | None:
    """The one argument that `shapes` without names can mean."""
    free = [
        name
        for name in arguments.names
        if name not in values and not arguments.made_elsewhere(name)
    ]
    if len(free) == 1:
        return free[0]
    if free:
        report("shapes", f"{_listed(free)} could be meant: write shapes={{{free[0]!r}: ...}}")
    else:
        subject = arguments.subject
        report("shapes", f"{subject} has no argument left to make: name one, shapes={{'x': ...}}")
    return None


def _check_names(
    specs: Mapping[str, object],
    values: Mapping[str, object],
    arguments: Arguments,
    report: FieldReport,
) -> bool:
    unknown = [("shapes", name) for name in specs if name not in arguments.names]
    unknown += [("values", name) for name in values if name not in arguments.names]
    for field, name in unknown:
        hint = did_you_mean(name, arguments.names)
        report(field, f"{arguments.subject} has no parameter {name!r}{hint}")
    for name in specs:
        if name in values:
            report("values", f"{name!r} is made by shapes too: leave it out of one of them")
        if name in arguments.compiled:
            report("compiles", f"{name!r} is made by shapes: only a fixture's value is compiled")
    for name in values:
        if name in arguments.compiled:
            report("compiles", f"{name!r} is made by values: only a fixture's value is compiled")
    return not unknown


def _check_arguments(
    specs: Mapping[str, object],
    values: Mapping[str, object],
    arguments: Arguments,
    report: FieldReport,
) -> None:
    if arguments.fixtures is None:
        return
    for name in arguments.names:
        if name not in specs and name not in values and not arguments.made_elsewhere(name):
            report(
                None,
                f"nothing makes the argument {name!r} of {arguments.subject}:"
                " add it to shapes or values, or write a fixture of this name",
            )


def _check_dims(
    specs: Mapping[str, Series[TensorSpec]], dims: DimSizes, report: FieldReport
) -> None:
    if dims.names is None:
        return
    used = _used_dims(specs)
    for name, label in used.items():
        if name not in dims.names:
            cure = f": write e.g. dims={{{name!r}: 8}}"
            if dims.file is not None:
                cure = f": give {dims.file} a column {name!r}, or the shape a number"
            hint = did_you_mean(name, dims.names) or cure
            report("shapes", f"the dim {name!r} of {label} has no size in dims{hint}")
    for name in dims.names:
        if name not in used:
            where = "" if dims.file is None else f", a column of {dims.file}"
            report("dims", f"no shape uses the dim {name!r}{where}{did_you_mean(name, used)}")


def _used_dims(specs: Mapping[str, Series[TensorSpec]]) -> dict[str, str]:
    """Dim names in the shapes, each with the label of the first series that has it."""
    used: dict[str, str] = {}
    for series in specs.values():
        for made in series.items:
            for name in made.dim_names:
                used.setdefault(name, series.label)
    return used


def _length(every: list[Series[Any]], dims: DimSizes, report: FieldReport) -> int | None:
    """Number of steps: that of the lists, 1 where there is none; None if they differ."""
    lists = [series for series in every if not series.constant]
    if len({len(series.items) for series in lists}) <= 1:
        return len(lists[0].items) if lists else 1
    if dims.weights is not None:
        _report_lists_beside(f"{dims.file}", len(dims.weights), lists, report)
        return None
    lengths = _listed([f"{series.label} has {len(series.items)}" for series in lists])
    message = f"the lists differ in length: {lengths}; each has one entry per step"
    report(lists[0].field, message)
    return None


def _report_lists_beside(
    file: str, steps: int, lists: list[Series[Any]], report: FieldReport
) -> None:
    for series in lists:
        if len(series.items) != steps:
            text = (
                f"a list of {len(series.items)} makes no sense beside the trace file {file},"
                f" which makes {steps} steps: give one for all of them"
            )
            report(series.field, inside(series.label, series.field, text))


def _step(
    index: int,
    specs: Mapping[str, Series[TensorSpec]],
    dims: DimSizes,
    values: Mapping[str, Series[object]],
) -> Step:
    sizes = {name: series.at(index) for name, series in dims.sizes.items()}
    weight = 1 if dims.weights is None else dims.weights[index]
    inputs: dict[str, Input] = {
        name: series.at(index).resolve(sizes) for name, series in specs.items()
    }
    inputs |= {name: PythonValue(series.at(index)) for name, series in values.items()}
    named = {
        name: tuple(dim if isinstance(dim, str) else None for dim in series.at(index).shape)
        for name, series in specs.items()
    }
    return Step(index=index, inputs=inputs, dims=sizes, weight=weight, named=named)


def _listed(items: list[str]) -> str:
    return ", ".join(items[:-1]) + f" and {items[-1]}" if len(items) > 1 else items[0]
