"""The outer form of a contract file: version, defaults, and contracts by name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pytest_compilecheck.contract.bounded import read_bounded
from pytest_compilecheck.contract.faults import Fault, Place, did_you_mean
from pytest_compilecheck.contract.file.compose import Written, compose
from pytest_compilecheck.contract.file.text import LABEL, MOST_BYTES, UnreadableError, decode
from pytest_compilecheck.contract.yaml_spelling import shown

VERSION: Final = 1
"""The version of the format that this release reads."""

CONTRACT_NAME: Final = r"[A-Za-z0-9_][A-Za-z0-9_.-]*"
"""What the name of a contract looks like."""

_KEYS: Final = ("version", "defaults", "contracts")


@dataclass(frozen=True, slots=True)
class Fields:
    """The keys of one contract, or of `defaults`, and where they are written.

    `keys` are the places of the keys themselves, `place` that of the whole.
    """

    values: Mapping[str, Written]
    keys: Mapping[object, Place]
    place: Place


@dataclass(frozen=True, slots=True, eq=False)
class Document:
    """A contract file as it is written; what is faulty is left out.

    `names` are the places of the contracts' names. A document equals itself alone.
    """

    path: str
    defaults: Fields | None
    contracts: Mapping[str, Fields]
    names: Mapping[str, Place]
    faults: tuple[Fault, ...]


def read_document(path: str, data: bytes | None = None) -> Document:
    """The document of a file, or of its bytes where they are given.

    Raises:
        UnreadableError: it cannot be read as a contract file at all.
    """
    root, faults = compose(decode(_bytes(path) if data is None else data, path))
    if not isinstance(root.value, Mapping):
        why = f"expected the keys {', '.join(_KEYS)}, got {shown(root.value)}"
        raise UnreadableError(*faults, Fault(why, root.places.place))
    _check_version(root, faults)
    for key in root.value:
        if key not in _KEYS:
            hint = did_you_mean(key, _KEYS) or f" (known are {', '.join(_KEYS)})"
            why = f"a contract file has no key {key!r}{hint}"
            faults.append(Fault(why, root.places.keys[key]))
    inner = root.items()
    defaults = inner.get("defaults")
    contracts, names = _contracts(root, faults)
    return Document(
        path=path,
        defaults=_fields(defaults, "defaults", faults) if defaults else None,
        contracts=contracts,
        names=names,
        faults=tuple(faults),
    )


def _bytes(path: str) -> bytes:
    try:
        return read_bounded(path, MOST_BYTES)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        place = Place(path, 1, LABEL, source="")
        raise UnreadableError(Fault(f"cannot be read: {why}", place)) from None


def _check_version(root: Written, faults: list[Fault]) -> None:
    """Without the version that is known here nothing else can be checked."""
    if "version" not in root.value:
        why = f"version: is missing: begin the file with version: {VERSION}"
        raise UnreadableError(*faults, Fault(why, root.places.place))
    version = root.value["version"]
    if type(version) is not int or version != VERSION:
        why = f"version: this release reads version {VERSION}, got {shown(version)}"
        if version == str(VERSION):
            why += f": write version: {VERSION}, without quotes"
        raise UnreadableError(*faults, Fault(why, root.places.parts["version"].place))


def _contracts(root: Written, faults: list[Fault]) -> tuple[dict[str, Fields], Mapping[str, Place]]:
    """The contracts by name, and where the names stand."""
    written = root.items().get("contracts")
    if written is None:
        faults.append(Fault("contracts: is missing: it maps names to contracts", root.places.place))
        return {}, {}
    if not isinstance(written.value, Mapping) or not written.value:
        got = shown(written.value)
        why = f"contracts: expected a mapping of names to contracts, got {got}"
        faults.append(Fault(why, written.places.place))
        return {}, {}
    names = {name: written.places.keys[name] for name in written.value}
    for name, place in names.items():
        if not re.fullmatch(CONTRACT_NAME, name):
            why = f"{name!r} is no name of a contract: a name has letters, digits, _, - and ."
            faults.append(Fault(f"contracts: {why}", place))
    made = {
        name: _fields(each, f"contracts[{name!r}]", faults)
        for name, each in written.items().items()
    }
    return {name: fields for name, fields in made.items() if fields is not None}, names


def _fields(written: Written, label: str, faults: list[Fault]) -> Fields | None:
    if not isinstance(written.value, Mapping):
        example = "{target: 'package.module:attr'}"
        why = f"expected a mapping such as {example}, got {shown(written.value)}"
        text = written.value if isinstance(written.value, str) else ""
        key, colon, _ = text.partition(":")
        if colon and key.isidentifier():
            why = f"a blank is missing after {f'{key}:'!r}"
        faults.append(Fault(f"{label}: {why}", written.places.place))
        return None
    return Fields(written.items(), written.places.keys, written.places.place)
