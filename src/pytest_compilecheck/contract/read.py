"""Reads a contract: merges its layers, checks every field, raises all faults at once."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from pytest_compilecheck.contract.bounds import Bound, BoundError
from pytest_compilecheck.contract.combinations import check_combinations, check_dynamic_dims
from pytest_compilecheck.contract.faults import (
    ContractError,
    Fault,
    Place,
    Report,
    about,
    did_you_mean,
    inside,
)
from pytest_compilecheck.contract.fields import FIELDS
from pytest_compilecheck.contract.model import Contract
from pytest_compilecheck.contract.places import FieldPlaces
from pytest_compilecheck.contract.plain import shown
from pytest_compilecheck.contract.policies.combinations import check_policies_over_trace
from pytest_compilecheck.contract.trace.series import FieldReport
from pytest_compilecheck.contract.trace.shapes import Arguments, Home, read_trace

Layer = tuple[Mapping[str, object], Place | FieldPlaces]
"""Fields as a person wrote them, and where: all in one place, or each in its own."""

POSITIONAL: Final = "*"
"""Key under which a layer carries the positional arguments of a mark, a fault of their own."""


def read_contract(
    layers: Sequence[Layer],
    *,
    subject: str,
    arguments: Sequence[str] | None,
    fixtures: Container[str] | None,
    compile_keywords: Collection[str] | None,
    torch_version: str | None,
    optional: Container[str] = (),
    home: Home = "test",
    extra_bounds: Collection[str] | None = None,
    advice: str = "",
) -> Contract:
    """The contract that the layers make together; its bounds are those of `torch_version`.

    Args:
        layers: fields as a person wrote them and where, from the farthest (project defaults) to
            the nearest (function); field by field the nearest wins.
        subject: name of the test, for messages.
        arguments: its parameters, without `self`; None where they are not known.
        fixtures: names that pytest makes, parametrized ones too; None where that is not known.
        compile_keywords: keywords that the installed torch.compile takes; None where that is not
            known: then any name may be one.
        torch_version: the release of torch, as its `__version__` says; None where there is none:
            version maps stay as they are.
        optional: those of the arguments that have a default value.
        home: where the contract stands.
        extra_bounds: names of the bounds that plugins declare; None where that is not known: then
            any name may be one.
        advice: what else is said of an input whose name is far from all of the parameters.

    Raises:
        ContractError: with every fault, each at the place of the layer that gave the field.
    """
    given = _merge(layers)
    nearest = layers[-1][1] if layers else None
    faults: list[Fault] = []

    faulty: set[str] = set()

    def report(field: str | None, message: str) -> None:
        faulty.add(field or "")
        where = given[field].place if field is not None and field in given else nearest
        if where is None:
            faults.append(Fault(about(field, message) if field else message))
        else:
            faults.append(where.fault(field, message))

    parameters = Arguments(
        subject=subject,
        names=None if arguments is None else tuple(arguments),
        fixtures=fixtures,
        optional=optional,
        home=home,
        advice=advice,
    )
    written = {name: entry for name, entry in given.items() if name != parameters.field}
    parsed = _parse(written, compile_keywords, torch_version, report)
    for name in parsed.get("extra", {}):
        _check_declared(name, extra_bounds, partial(report, "extra"))
    if torch_version is not None:
        _settle(parsed, torch_version, report)
    parameters = replace(parameters, compiled=parsed.get("compiles") or ())
    raw = {name: entry.value for name, entry in given.items()}
    # A trace file lies beside the file that names it.
    directory = os.path.dirname(given["dims"].place.file) if "dims" in given else ""
    before = len(faults)
    contract = Contract(trace=read_trace(raw, parameters, report, directory), **parsed)
    if len(faults) == before:  # else it would name the consequences of the same mistake
        check_dynamic_dims(contract, report)
        check_policies_over_trace(contract, parameters, report)
    check_combinations(contract, parameters, _of_sound_fields(report, faulty))
    if faults:
        raise ContractError(faults, subject)
    return contract


@dataclass(frozen=True, slots=True)
class _Given:
    """A field's value, the place of the layer that gave it, and how near that layer is."""

    value: object
    place: Place | FieldPlaces
    nearness: int


def _merge(layers: Sequence[Layer]) -> dict[str, _Given]:
    given: dict[str, _Given] = {}
    for nearness, (fields, place) in enumerate(layers):
        given |= {name: _Given(value, place, nearness) for name, value in fields.items()}
    watch_only = given.get("watch_only")
    if watch_only and watch_only.value is True:
        # What a farther layer says of compiling is made void by it, not contradicted.
        given = {
            name: entry
            for name, entry in given.items()
            if entry.nearness >= watch_only.nearness or not _says_how_to_compile(name)
        }
    return given


def _of_sound_fields(report: FieldReport, faulty: set[str]) -> FieldReport:
    """A report of combinations: of a field that is faulty by itself nothing more is said."""
    alone = frozenset(faulty)

    def of_sound(field: str | None, message: str) -> None:
        if alone.isdisjoint({field, *re.findall(r"\w+", message)}):
            report(field, message)

    return of_sound


def _says_how_to_compile(name: str) -> bool:
    # A name that the register does not have can only be a keyword of torch.compile.
    return (
        name in ("backend", "compiles", "policies", "preferred_policy")
        or name not in FIELDS
        or FIELDS[name].to_torch
    )


def _parse(
    given: Mapping[str, _Given],
    compile_keywords: Collection[str] | None,
    torch_version: str | None,
    report: FieldReport,
) -> dict[str, Any]:
    """Fields of the contract but its trace; those that are known and not given are left out."""
    parsed: dict[str, Any] = {}
    options: dict[str, object] = {}
    for name, entry in given.items():
        if name == POSITIONAL:
            report(None, f"takes keyword arguments only, got {shown(entry.value)}")
        elif name in FIELDS:
            row = FIELDS[name]
            if row.parse is not None:
                value = row.parse(entry.value, partial(report, name))
                (options if row.to_torch else parsed)[name] = value
        elif compile_keywords is None or (name in compile_keywords and name != "model"):
            options[name] = entry.value
        else:
            near = did_you_mean(name, {*FIELDS, *compile_keywords} - {"model"})
            torch = f", and torch.compile of torch {torch_version} has no such keyword"
            report(name, f"a contract has no such field{near or torch}")
    return {**parsed, "torch_options": options}


def _check_declared(name: str, known: Collection[str] | None, report: Report) -> None:
    """Report a bound that no plugin declares."""
    if name in FIELDS:
        report(f"[{name!r}]: is no bound of a plugin: write it as a field of the contract")
    elif known is not None and name not in known:
        declared = f" (declared are {', '.join(sorted(known))})" if known else ""
        near = did_you_mean(name, known) or declared
        report(f"[{name!r}]: no plugin that is loaded declares this bound{near}")


_EXCEPTIONS: Final = frozenset({"allow_breaks", "allow_recompiles", "allow_fallbacks"})


def _settle(parsed: dict[str, Any], torch_version: str, report: FieldReport) -> None:
    """Put in place of each version map the number that it gives for this torch.

    Exceptions for other releases are left out: they are not stale here.
    """
    for name in _EXCEPTIONS & parsed.keys():
        parsed[name] = tuple(each for each in parsed[name] if each.holds_for(torch_version))
    for name, value in parsed.items():
        if isinstance(value, Bound):
            parsed[name] = _settled(value, torch_version, partial(report, name))
    parsed["extra"] = {
        name: _settled(bound, torch_version, inside(f"[{name!r}]", partial(report, "extra")))
        for name, bound in parsed.get("extra", {}).items()
    }


def _settled(bound: Bound, torch_version: str, report: Report) -> Bound:
    try:
        return Bound(bound.at(torch_version))
    except BoundError as error:
        report(str(error))
        return Bound()
