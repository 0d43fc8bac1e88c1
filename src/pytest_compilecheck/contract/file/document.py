"""The outer form of a contract file: version, defaults, and contracts by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pytest_compilecheck.contract.faults import Fault, Place, Places, did_you_mean
from pytest_compilecheck.contract.file.compose import Written, compose
from pytest_compilecheck.contract.file.text import LABEL, UnreadableError, decode
from pytest_compilecheck.contract.plain import shown

VERSION: Final = 1
"""The version of the format that this release reads."""

_KEYS: Final = ("version", "defaults", "contracts")


@dataclass(frozen=True, slots=True)
class Fields:
    """The keys of one contract, or of `defaults`, and where they are written.

    `keys` are the places of the keys themselves, `place` that of the whole.
    """

    values: Mapping[str, Written]
    keys: Mapping[object, Place]
    place: Place


@dataclass(frozen=True, slots=True)
class Document:
    """A contract file as it is written; what is faulty is left out.

    `names` are the places of the contracts' names.
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
    contracts = _mapping(inner.get("contracts"), "contracts", "{prefill: {...}}", faults)
    if "contracts" not in inner:
        faults.append(Fault("contracts: is missing: it maps names to contracts", _start(root)))
    return Document(
        path=path,
        defaults=_fields(defaults, "defaults", faults) if defaults else None,
        contracts={
            name: fields
            for name, written in contracts.items()
            if (fields := _fields(written, f"contracts[{name!r}]", faults)) is not None
        },
        names=_names(inner.get("contracts"), contracts, faults),
        faults=tuple(faults),
    )


def _bytes(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise UnreadableError(Fault(f"cannot be read: {why}", Place(path, 1, LABEL))) from None


def _start(root: Written) -> Place:
    return root.places.place


def _check_version(root: Written, faults: list[Fault]) -> None:
    """Without the version that is known here nothing else can be checked."""
    if "version" not in root.value:
        why = f"version: is missing: begin the file with version: {VERSION}"
        raise UnreadableError(*faults, Fault(why, _start(root)))
    version = root.value["version"]
    if type(version) is not int or version != VERSION:
        why = f"version: this release reads version {VERSION}, got {shown(version)}"
        raise UnreadableError(*faults, Fault(why, root.places.parts["version"].place))


def _mapping(
    written: Written | None, label: str, example: str, faults: list[Fault]
) -> dict[str, Written]:
    if written is None:
        return {}
    if not isinstance(written.value, Mapping):
        why = f"{label}: expected a mapping such as {example}, got {shown(written.value)}"
        faults.append(Fault(why, written.places.place))
        return {}
    return written.items()


def _fields(written: Written, label: str, faults: list[Fault]) -> Fields | None:
    values = _mapping(written, label, "{target: 'package.module:attr'}", faults)
    if not isinstance(written.value, Mapping):
        return None
    return Fields(values, written.places.keys, written.places.place)


def _names(
    written: Written | None, contracts: Mapping[str, object], faults: list[Fault]
) -> dict[str, Place]:
    places = written.places if written is not None else Places(Place("", 1, LABEL))
    names = {name: places.keys[name] for name in contracts}
    for name, place in names.items():
        if not name.replace("-", "_").isidentifier():
            why = f"{name!r} is no name of a contract: a name has letters, digits, _ and -"
            faults.append(Fault(f"contracts: {why}", place))
    return names
