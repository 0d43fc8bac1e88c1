"""Reads contract files: every fault of a file is raised at once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pytest_compilecheck.contract.faults import ContractError, Fault, Place
from pytest_compilecheck.contract.fields import FIELDS
from pytest_compilecheck.contract.file.compose import Written
from pytest_compilecheck.contract.file.document import Document, Fields, read_document
from pytest_compilecheck.contract.file.extends import Inheritance
from pytest_compilecheck.contract.file.inputs import InputDefaults, described_inputs
from pytest_compilecheck.contract.file.keys import KEYS, faults_of, parse
from pytest_compilecheck.contract.file.matrix import MOST_CELLS, cells, each_value
from pytest_compilecheck.contract.file.text import UnreadableError
from pytest_compilecheck.contract.file.trace_keys import described_dims, places_of
from pytest_compilecheck.contract.file.values import ContractFile, FileContract, Target
from pytest_compilecheck.contract.places import FieldPlaces
from pytest_compilecheck.contract.read import Layer


def load_contracts(path: str | os.PathLike[str], data: bytes | None = None) -> ContractFile:
    """The contracts of a YAML file, or of its bytes where they are given.

    A name that begins with "_" is for `extends` alone. Neither torch nor a target is imported.

    Raises:
        ContractError: with every fault of the file, each at its line and column.
    """
    name = os.fspath(path)
    reader = _Reader()
    contracts: list[FileContract] = []
    try:
        document = read_document(name, data)
    except UnreadableError as error:
        reader.faults |= dict.fromkeys(error.faults)
    else:
        contracts = reader.contracts(document)
    if reader.faults:
        raise ContractError(_in_order(reader.faults), name)
    return ContractFile(name, tuple(contracts))


def _in_order(faults: Iterable[Fault]) -> list[Fault]:
    """Faults as they stand in their files; files in the order in which they first come up."""
    files: dict[str, int] = {}
    for fault in faults:
        assert fault.place is not None
        files.setdefault(fault.place.file, len(files))

    def where(fault: Fault) -> tuple[int, int, int]:
        place = fault.place
        return (files[place.file], place.line, place.column or 0) if place else (0, 0, 0)

    return sorted(faults, key=where)


class _Reader:
    """Reads the contracts of a file; collects all faults, each once."""

    def __init__(self) -> None:
        self.faults: dict[Fault, None] = {}
        self._checked: dict[int, Fields] = {}

    def contracts(self, document: Document) -> list[FileContract]:
        """Every contract that can run, cell by cell."""
        self._add(document.faults)
        if document.defaults is not None:
            self._check_defaults(document.defaults)
        inheritance = Inheritance(self._add)
        inheritance.know(document)
        found: list[FileContract | None] = []
        for name in document.contracts:
            layers, whole = inheritance.layers(document, name)
            for layer in layers:
                self._check(layer)
            # Of one whose base is missing all else that is missing is a consequence.
            if name.startswith("_") or not whole:
                continue
            place = document.names[name]
            for cell, every in _cells(layers):
                if len(found) == MOST_CELLS:
                    why = f"with this one the file has more than {MOST_CELLS:,} contracts"
                    self._add([Fault(why, place)])
                    return []
                found.append(self._contract(name, cell, place, every))
        return [contract for contract in found if contract is not None]

    def _add(self, faults: Iterable[Fault]) -> None:
        self.faults |= dict.fromkeys(faults)

    def _check(self, fields: Fields) -> None:
        if id(fields) not in self._checked:  # several contracts may have taken it over
            self._checked[id(fields)] = fields
            self._add(faults_of(fields))
            matrix = fields.values.get("matrix")
            for each in () if matrix is None or not _axes(matrix) else each_value(matrix):
                self._add(faults_of(each))

    def _check_defaults(self, defaults: Fields) -> None:
        self._check(defaults)
        if "extends" in defaults.values:
            why = "extends: stands in a contract, not in defaults"
            self._add([Fault(why, defaults.keys["extends"])])

    def _contract(
        self, name: str, cell: str | None, place: Place, layers: list[Fields]
    ) -> FileContract | None:
        fields = _merged(layers)
        if "target" not in fields:
            why = "target: is missing: name what is compiled, as package.module:attr"
            self._add([Fault(f"contracts[{name!r}]: {why}", place)])
            return None
        own = dict(_parsed(fields))
        self._check_keywords(fields)
        if own.get("grad") is False and "backward" in fields and fields["backward"].value is True:
            why = "backward: there is none with grad: false: leave one of them out"
            self._add([Fault(why, fields["backward"].places.place)])
        contract = FileContract(
            name=name,
            cell=cell,
            place=place,
            target=Target(
                path=own.get("target", ""), **{k: own[k] for k in _OF_TARGET if k in own}
            ),
            requires=own.get("requires", {}),
            marks=own.get("marks", ()),
            skip=own.get("skip"),
            xfail=own.get("xfail"),
            skip_without_device=own.get("skip_without_device", False),
            layers=_layers(layers, InputDefaults(own.get("dtype"), own.get("device"))),
            places={key: written.places.place for key, written in fields.items()},
        )
        if all(written.places.sound for written in fields.values()):
            try:
                contract.contract()
            except ContractError as error:
                self._add(error.faults)
        return contract

    def _check_keywords(self, fields: Mapping[str, Written]) -> None:
        keywords = fields.get("keywords")
        if keywords is None or not isinstance(keywords.value, Mapping):
            return
        for name in keywords.value:
            for other in ("inputs", "values"):
                made = fields[other].value if other in fields else None
                if isinstance(made, Mapping) and name in made:
                    why = f"keywords: {name!r} is in {other} too: leave it out of one of them"
                    self._add([Fault(why, keywords.places.parts[name].place)])


_OF_TARGET = ("arguments", "call", "keywords", "dtype", "device", "training", "grad")
_OWN = ("target", *_OF_TARGET, "requires", "marks", "skip", "xfail", "skip_without_device")


def _cells(layers: list[Fields]) -> Iterator[tuple[str | None, list[Fields]]]:
    """The layers of each cell of the matrix, and its name; one cell where it is faulty."""
    fields = _merged(layers)
    if "matrix" in fields and _axes(fields["matrix"]):
        yield from ((name, [*layers, cell]) for name, cell in cells(fields))
    else:
        yield None, layers


def _axes(matrix: Written) -> bool:
    """Whether a matrix has values to run with, and no fault."""
    axes, faults = parse("matrix", matrix.value)
    return bool(axes) and not faults


def _parsed(fields: Mapping[str, Written]) -> Iterator[tuple[str, Any]]:
    """What the keys of a file alone stand for, but for those that are faulty."""
    for key in _OWN:
        # None stands for what is not there: it takes away what is inherited.
        if key in fields and fields[key].value is not None:
            value, faults = parse(key, fields[key].value)
            if not faults:
                yield key, value


def _merged(layers: list[Fields]) -> dict[str, Written]:
    return {name: written for layer in layers for name, written in layer.values.items()}


def _layers(layers: list[Fields], defaults: InputDefaults) -> tuple[Layer, ...]:
    """The fields of every contract among those of a file, as `read_contract` takes them."""
    made: list[Layer] = []
    further = _merged(layers).get("torch_compile")
    for layer in layers:
        values: dict[str, object] = {}
        for name, written in layer.values.items():
            if name == "inputs":
                values[name] = described_inputs(written.value, defaults)
            elif name == "dims":
                values[name] = described_dims(written.value)
            elif name in FIELDS and name in KEYS:
                values[name] = written.value
        places = {name: places_of(name, layer.values[name].places) for name in values}
        if further is not None and layer.values.get("torch_compile") is further:
            keywords = further.items() if isinstance(further.value, Mapping) else {}
            values |= {name: written.value for name, written in keywords.items()}
            places |= {name: written.places for name, written in keywords.items()}
        made.append((values, FieldPlaces(layer.place, places)))
    return tuple(made)
