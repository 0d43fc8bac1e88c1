"""Turns a contract's `shapes`, `dims` and `values` into its trace."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from pytest_compilecheck.contract.faults import did_you_mean
from pytest_compilecheck.contract.trace.inputs import Input, PythonValue, resolve, tensors
from pytest_compilecheck.contract.trace.model import Step, Trace
from pytest_compilecheck.contract.trace.series import (
    DimSizes,
    FieldReport,
    Series,
    inside,
    mapping_items,
    read_dims,
    read_inputs,
    read_values,
)

Home = Literal["test", "library", "file"]
"""Where a contract stands: on a test, on the code that it is about, in a file of its own."""

_CURES: Final[dict[Home, str]] = {
    "test": "add it to shapes or values, or write a fixture of this name",
    "library": "add it to shapes or values",
    "file": "add it to inputs, values or keywords",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Arguments:
    """The parameters of a marked function, and who makes which.

    `subject` names the function; `names` is None where its parameters are not known. `fixtures`
    holds the names that pytest makes (parametrized ones too), None where that is not known.
    `optional` are the parameters with a default value, `compiled` those whose value is to be
    compiled. `home` is where the contract stands, `advice` what else is said where a name is far
    from all of the parameters.
    """

    subject: str
    names: tuple[str, ...] | None
    fixtures: Container[str] | None = None
    optional: Container[str] = ()
    compiled: tuple[str, ...] = ()
    home: Home = "test"
    advice: str = ""

    @property
    def field(self) -> str:
        """Where their shapes are written."""
        return "inputs" if self.home == "file" else "shapes"

    @property
    def cure(self) -> str:
        """What to do where nothing makes an argument."""
        return _CURES[self.home]

    def unknown(self, name: str) -> str:
        """That there is no such parameter, and what may be meant."""
        names = self.names or ()
        told = f"{self.subject} has no parameter {name!r}"
        if self.home != "file":
            return told + did_you_mean(name, names)
        takes = f" (it takes {', '.join(names) or 'none'}){self.advice}"
        return told + (did_you_mean(name, names) or takes)

    def made_elsewhere(self, name: str) -> bool:
        """Whether the argument comes from pytest or from its default."""
        from_fixture = self.fixtures is not None and name in self.fixtures
        return from_fixture or name in self.optional or name in self.compiled


def read_trace(
    given: Mapping[str, object], arguments: Arguments, report: FieldReport, directory: str = ""
) -> Trace:
    """The trace of a contract; each fault is reported with its field.

    `given` may hold `arguments.field`, "dims" and "values" as a person wrote them; `directory` is
    where the relative path of a trace file starts, "" for the current one. What comes back after a
    report is no trace to run.
    """
    values = read_values(given.get("values"), report)
    dims = read_dims(given.get("dims"), directory, report)
    made = _read_shapes(given.get(arguments.field), values, arguments, report)
    names_known = _check_names(made or {}, values, arguments, report)
    if made is None or not names_known:
        # The checks below would name the consequences of the same mistake.
        return Trace()
    _check_arguments(made, values, arguments, report)
    _check_dims(made, dims, arguments.field, report)
    length = _length([*made.values(), *dims.sizes.values(), *values.values()], dims, report)
    if length is None or not _used_dims(made).keys() <= dims.sizes.keys():
        return Trace()
    steps = tuple(_step(index, made, dims, values) for index in range(length))
    return Trace(steps, dims.notes)


def _read_shapes(
    shapes: object, values: Mapping[str, object], arguments: Arguments, report: FieldReport
) -> dict[str, Series[Input]] | None:
    """Inputs by argument; None after a fault."""
    field = arguments.field
    if shapes is None:
        return {}
    if not isinstance(shapes, Mapping) and arguments.names is not None:
        name = _single_tensor(values, arguments, arguments.names, report)
        series = read_inputs(field, field, shapes, report)
        return {name: series} if name and series else None
    found = {}
    for name, value in mapping_items(field, shapes, "{'x': 'B S 64'}", report):
        found[name] = read_inputs(field, f"{field}[{name!r}]", value, report)
    whole = {name: series for name, series in found.items() if series is not None}
    return whole if len(whole) == len(found) else None


def _single_tensor(
    values: Mapping[str, object], arguments: Arguments, names: Sequence[str], report: FieldReport
) -> str | None:
    """The one argument that `shapes` without names can mean."""
    free = [name for name in names if name not in values and not arguments.made_elsewhere(name)]
    if len(free) == 1:
        return free[0]
    if free:
        report("shapes", f"{_listed(free)} could be meant: write shapes={{{free[0]!r}: ...}}")
    else:
        subject = arguments.subject
        report("shapes", f"{subject} has no argument left to make: name one, shapes={{'x': ...}}")
    return None


def _check_names(
    made: Mapping[str, object],
    values: Mapping[str, object],
    arguments: Arguments,
    report: FieldReport,
) -> bool:
    names, own = arguments.names, arguments.field
    unknown: list[tuple[str, str]] = []
    if names is not None:
        unknown += [(own, name) for name in made if name not in names]
        unknown += [("values", name) for name in values if name not in names]
        for field, name in unknown:
            report(field, arguments.unknown(name))
    compiled = arguments.compiled if arguments.home == "test" else ()
    for name in made:
        if name in values:
            report("values", f"{name!r} is made by {own} too: leave it out of one of them")
        if name in compiled:
            report("compiles", f"{name!r} is made by {own}: only a fixture's value is compiled")
    for name in values:
        if name in compiled:
            report("compiles", f"{name!r} is made by values: only a fixture's value is compiled")
    return not unknown


def _check_arguments(
    made: Mapping[str, object],
    values: Mapping[str, object],
    arguments: Arguments,
    report: FieldReport,
) -> None:
    if arguments.fixtures is None or arguments.names is None:
        return
    for name in arguments.names:
        if name not in made and name not in values and not arguments.made_elsewhere(name):
            report(
                None,
                f"nothing makes the argument {name!r} of {arguments.subject}: {arguments.cure}",
            )


def _check_dims(
    made: Mapping[str, Series[Input]], dims: DimSizes, field: str, report: FieldReport
) -> None:
    if dims.names is None:
        return
    used = _used_dims(made)
    for name, label in used.items():
        if name not in dims.names:
            cure = f": write e.g. dims={{{name!r}: 8}}"
            if dims.file is not None:
                cure = f": give {dims.file} a column {name!r}, or the shape a number"
            hint = did_you_mean(name, dims.names) or cure
            report(field, f"the dim {name!r} of {label} has no size in dims{hint}")
    for name in dims.names:
        if name not in used:
            where, cure = "", ""
            if dims.file is not None:
                where = f", a column of {dims.file}"
                cure = ": columns are dims of the shapes, and 'count' is the number of requests"
            hint = did_you_mean(name, used) or cure
            report("dims", f"no shape uses the dim {name!r}{where}{hint}")


def _used_dims(made: Mapping[str, Series[Input]]) -> dict[str, str]:
    """Dim names in the shapes, each with the label of the first series that has it."""
    used: dict[str, str] = {}
    for series in made.values():
        for item in series.items:
            for spec in tensors({series.label: item}).values():
                for name in spec.dim_names:
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
    made: Mapping[str, Series[Input]],
    dims: DimSizes,
    values: Mapping[str, Series[object]],
) -> Step:
    sizes = {name: series.at(index) for name, series in dims.sizes.items()}
    weight = 1 if dims.weights is None else dims.weights[index]
    described = {name: series.at(index) for name, series in made.items()}
    inputs: dict[str, Input] = {name: resolve(item, sizes) for name, item in described.items()}
    inputs |= {name: PythonValue(series.at(index)) for name, series in values.items()}
    named = {
        name: tuple(dim if isinstance(dim, str) else None for dim in spec.shape)
        for name, spec in tensors(described).items()
    }
    return Step(index=index, inputs=inputs, dims=sizes, weight=weight, named=named)


def _listed(items: list[str]) -> str:
    return ", ".join(items[:-1]) + f" and {items[-1]}" if len(items) > 1 else items[0]
