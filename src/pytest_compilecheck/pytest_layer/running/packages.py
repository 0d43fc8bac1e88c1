"""Packages whose code a contract runs: a baseline records their versions."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, version

from pytest_compilecheck.contract.installed_files import portable
from pytest_compilecheck.observe.values.observation import Observation

_NOT_A_MODEL = frozenset({"torch", "builtins", "__main__", *sys.stdlib_module_names})


def packages_of(values: Iterable[object], seen: Observation) -> dict[str, str]:
    """Versions by name of the packages that values are made of, or whose code was met.

    torch is none of them. `values` are arguments of a test: modules, functions, their classes.
    """
    names = {name for value in values for name in _modules(value)}
    names |= {name for file in _files(seen) if (name := _installed(file))}
    found = (_distribution(name) for name in sorted(names - _NOT_A_MODEL))
    return dict(sorted(each for each in found if each is not None))


def _modules(value: object) -> set[str]:
    """Top-level modules that define a function, or a class and what it inherits from."""
    named = type(value).__mro__ if not isinstance(value, type) else value.__mro__
    owners = [getattr(each, "__module__", None) for each in (value, *named)]
    return {owner.partition(".")[0] for owner in owners if isinstance(owner, str)}


def _files(seen: Observation) -> set[str]:
    files = {site.file for site in seen.break_sites}
    files |= {event.file for event in seen.recompile_events}
    return files | {each.file for each in seen.fallbacks if each.file}


def _installed(file: str) -> str:
    inside = portable(file)
    return "" if inside == file else inside.partition("/")[0].removesuffix(".py")


@cache
def _distribution(module: str) -> tuple[str, str] | None:
    """The distribution of a top-level module, with its version; None for a module of nobody's."""
    try:
        return module, version(module)
    except PackageNotFoundError:
        pass
    file = getattr(sys.modules.get(module), "__file__", None) or ""
    if portable(file) == file:
        return None  # of the project itself, and not installed
    names = _by_module().get(module, ())
    return (names[0], version(names[0])) if names else None


@cache
def _by_module() -> Mapping[str, list[str]]:
    return packages_distributions()
