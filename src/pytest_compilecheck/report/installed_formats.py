"""Formats that installed packages declare, beside the built-in ones."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Final

from pytest_compilecheck.contract.faults import did_you_mean
from pytest_compilecheck.contract.plain import shown
from pytest_compilecheck.report.formats import FORMATS, Format
from pytest_compilecheck.report.wording import printable

GROUP: Final = "pytest_compilecheck.formats"
"""Group of the entry points, each the name of a format and where its `Format` is."""


class FormatError(Exception):
    """There is no such format, or who declares it made a mistake; the message says which."""


def chosen_format(name: str, others: Mapping[str, Format] | None = None) -> Format:
    """The format of a name: a built-in one, one of the others, or one of an installed package.

    Raises:
        FormatError: there is none, there are several, or it cannot be loaded.
    """
    if name in FORMATS:
        return FORMATS[name]
    others = others or {}
    declared = entry_points(group=GROUP)
    found = [entry for entry in declared if entry.name == name]
    if len(found) + (name in others) > 1:
        hooks = ["a hook of this run"] if name in others else []
        whose = " and ".join(dict.fromkeys([*map(package_of, found), *hooks]))
        raise FormatError(
            f"the format {name!r} is declared more than once, by {whose}: give one another name"
        )
    if name in others:
        return others[name]
    if found:
        return _loaded(found[0])
    known = sorted({*FORMATS, *others, *declared.names})
    hint = did_you_mean(name, known) or f" (known are {', '.join(known)})"
    raise FormatError(f"there is no report format {name!r}{hint}")


def declared_text() -> str:
    """The formats of installed packages by name, without importing any of them."""
    found = sorted((each.name, package_of(each)) for each in entry_points(group=GROUP))
    told = [printable(f"{name} of {package}") for name, package in found if name not in FORMATS]
    return ", ".join(told) or "none here"


def overruled(names: Collection[str]) -> list[str]:
    """A sentence for each format of a package that has the name of one of these built-in ones."""
    return [
        f"{package_of(each)} declares a report format {each.name!r}, which is never used: one of"
        " that name is built in, so it has to choose another"
        for each in entry_points(group=GROUP)
        if each.name in FORMATS and each.name in names
    ]


def _loaded(entry: EntryPoint) -> Format:
    try:
        loaded = entry.load()
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
        raise FormatError(f"the format {entry.name!r} of {package_of(entry)}: {why}") from error
    if not isinstance(loaded, Format):
        why = f"{entry.value} is {shown(loaded)}, and no Format"
        raise FormatError(f"the format {entry.name!r} of {package_of(entry)}: {why}")
    return loaded


def package_of(entry: EntryPoint) -> str:
    """The package that declares a format, for messages."""
    return f"the package {entry.dist.name}" if entry.dist is not None else entry.value
