"""Packages that a contract needs, from what it imports."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator
from importlib.metadata import packages_distributions, version

from pytest_compilecheck.contract.trace.inputs import Input, MadeObject, parts
from pytest_compilecheck.contract.trace.model import Trace

_SITE = re.compile(r"[/\\](?:site|dist)-packages[/\\]")


def import_paths(made: Iterable[Input]) -> Iterator[str]:
    """The import path of each object that is made in these values."""
    for each in made:
        if isinstance(each, MadeObject):
            yield each.path
        yield from import_paths(inner for _, inner in parts(each))


def inputs_of(trace: Trace) -> Iterator[Input]:
    """Everything that the steps of a trace make."""
    for step in trace.steps:
        yield from step.inputs.values()


def required(paths: Iterable[str], root: str) -> dict[str, str]:
    """Version specifiers by package, for import paths: from the installed minor release on.

    Own code (under `root` and in no site-packages), the standard library and torch are left out.
    """
    names = dict.fromkeys(re.split("[.:]", path)[0] for path in paths)
    known = packages_distributions() if names else {}
    found: dict[str, str] = {}
    for name in names:
        distributions = set(known.get(name, ()))
        if name != "torch" and len(distributions) == 1 and not _is_own(name, root):
            distribution = distributions.pop()
            found[distribution] = from_minor(version(distribution))
    return dict(sorted(found.items()))


def from_minor(installed: str) -> str:
    """A specifier that the installed version and later ones fit: ">=5.24" of "5.24.1"."""
    from packaging.version import InvalidVersion, Version

    try:
        exact = Version(installed)
    except InvalidVersion:
        return ""
    minor = Version(f"{exact.epoch}!{'.'.join(map(str, exact.release[:2]))}")
    return f">={minor if minor <= exact else exact.public}"


def _is_own(name: str, root: str) -> bool:
    file = os.path.realpath(getattr(sys.modules.get(name), "__file__", None) or "")
    inside = file.startswith(os.path.join(os.path.realpath(root), ""))
    return inside and not _SITE.search(file)
