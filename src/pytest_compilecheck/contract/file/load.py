"""Reads contract files: every fault of a file is raised at once."""

from __future__ import annotations

import linecache
import os
from collections.abc import Mapping
from functools import partial
from typing import Any

from pytest_compilecheck.contract.faults import (
    ContractError,
    Fault,
    FieldPlaces,
    did_you_mean,
)
from pytest_compilecheck.contract.file.compose import Written
from pytest_compilecheck.contract.file.document import Document, Fields, read_document
from pytest_compilecheck.contract.file.extends import Inheritance
from pytest_compilecheck.contract.file.inputs import InputDefaults, described_inputs
from pytest_compilecheck.contract.file.keys import CONTRACT_FIELDS, ELSEWHERE, KEYS
from pytest_compilecheck.contract.file.matrix import cells
from pytest_compilecheck.contract.file.text import UnreadableError
from pytest_compilecheck.contract.file.trace_dims import described_dims
from pytest_compilecheck.contract.file.values import ContractFile, FileContract, Target
from pytest_compilecheck.contract.read import Layer

_KNOWN = {**KEYS, **CONTRACT_FIELDS}


def load_contracts(path: str | os.PathLike[str], data: bytes | None = None) -> ContractFile:
    """The contracts of a YAML file, or of its bytes where they are given.

    A name that begins with "_" is for `extends` alone. Neither torch nor a target is imported.

    Raises:
        ContractError: with every fault of the file, each at its line and column.
    """
    name = os.fspath(path)
    linecache.checkcache(name)
    reader = _Reader()
    contracts: list[FileContract] = []
    try:
        document = read_document(name, data)
    except UnreadableError as error:
        reader.faults.update(dict.fromkeys(error.faults))
    else:
        contracts = reader.contracts(document)
    if reader.faults:
        raise ContractError(reader.faults, name)
    return ContractFile(name, tuple(contracts))


class _Reader:
    """Collects the faults of a file, each once, in the order in which they come up."""

    def __init__(self) -> None:
        self.faults: dict[Fault, None] = {}
        self._checked: set[int] = set()

    def contracts(self, document: Document) -> list[FileContract]:
        """Every contract that can run, cell by cell."""
        for fault in document.faults:
            self._fault(fault)
        inheritance = Inheritance(self._fault)
        inheritance.add(document)
        if document.defaults is not None:
            self._check(document.defaults)
            self._check_no_extends(document.defaults)
        found = []
        for name in document.contracts:
            layers = inheritance.layers(document, name)
            for layer in layers:
                self._check(layer)
            for cell, fields in cells(layers, _KNOWN, self._fault):
                every = [*layers, fields] if fields is not None else layers
                if not name.startswith("_"):
                    found.append(self._contract(document, name, cell, every))
        return [contract for contract in found if contract is not None]

    def _fault(self, fault: Fault) -> None:
        self.faults[fault] = None

    def _check(self, fields: Fields) -> None:
        """Every field by itself, known or not; once for each place in which fields are written."""
        if id(fields) in self._checked:
            return
        self._checked.add(id(fields))
        for name, written in fields.values.items():
            if name not in _KNOWN:
                hint = did_you_mean(name, _KNOWN)
                why = ELSEWHERE.get(name) or f"a contract has no such key{hint}"
                self._fault(Fault(f"{name}: {why}", fields.keys.get(name, fields.place)))
            elif (parse := _KNOWN[name].parse) is not None:
                parse(written.value, partial(self._report, name, written))

    def _check_no_extends(self, defaults: Fields) -> None:
        if "extends" in defaults.values:
            why = "extends: stands in a contract, not in defaults"
            self._fault(Fault(why, defaults.keys["extends"]))

    def _report(self, name: str, written: Written, message: str) -> None:
        where = FieldPlaces(written.places.place, {name: written.places})
        self._fault(where.fault(name, message))

    def _contract(
        self, document: Document, name: str, cell: str | None, layers: list[Fields]
    ) -> FileContract | None:
        merged = {key: written for layer in layers for key, written in layer.values.items()}
        place = document.names[name]
        if "target" not in merged:
            why = "target: is missing: name what is compiled, as package.module:attr"
            self._fault(Fault(f"contracts[{name!r}]: {why}", place))
            return None
        own = {
            key: row.parse(merged[key].value, _nothing)
            for key, row in KEYS.items()
            if key in merged and row.parse is not None
        }
        contract = FileContract(
            name=name,
            cell=cell,
            place=place,
            target=_target(own),
            requires=own.get("requires", {}),
            marks=own.get("marks", ()),
            skip=own.get("skip"),
            xfail=own.get("xfail"),
            layers=_layers(layers, own),
            places={key: written.places.place for key, written in merged.items()},
        )
        try:
            contract.contract()
        except ContractError as error:
            for fault in error.faults:
                self._fault(fault)
        return contract


def _nothing(message: str) -> None:
    """Takes a fault that was told where the field is written."""


def _target(own: Mapping[str, Any]) -> Target:
    keys = ("arguments", "call", "keywords", "dtype", "device", "training")
    return Target(path=own["target"], **{key: own[key] for key in keys if key in own})


def _layers(layers: list[Fields], own: Mapping[str, Any]) -> tuple[Layer, ...]:
    """The fields of every contract among those of a file, as `read_contract` takes them."""
    defaults = InputDefaults(own.get("dtype"), own.get("device"))
    made: list[Layer] = []
    for layer in layers:
        values: dict[str, object] = {}
        for name, written in layer.values.items():
            if name == "inputs":
                values[name] = described_inputs(written.value, defaults)
            elif name == "dims":
                values[name] = described_dims(written.value)
            elif name in CONTRACT_FIELDS:
                values[name] = written.value
        places = {name: layer.values[name].places for name in values}
        made.append((values, FieldPlaces(layer.place, places)))
    return tuple(made)
