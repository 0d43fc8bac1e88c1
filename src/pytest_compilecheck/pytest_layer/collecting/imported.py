"""Imports the modules that `compilecheck_modules` names, and says why one cannot be."""

from __future__ import annotations

import importlib
from collections.abc import Collection
from types import ModuleType

import pytest

from pytest_compilecheck.pytest_layer import settings
from pytest_compilecheck.pytest_layer.running.compiler_error import users_traceback
from pytest_compilecheck.report.wording import printable

NOT_IMPORTED = pytest.StashKey[dict[str, str]]()
"""The modules that were left out because they need a package that is not there, and why."""

_ENDS = (
    '{0} ends the program when it is imported: put that under `if __name__ == "__main__":`, or'
    " name the other modules one by one"
)


def imported(name: str, collector: pytest.Collector) -> ModuleType:
    """A module by its name.

    Raises:
        CollectError: it cannot be imported.
        Skipped: it needs a package that is not there, and only the pattern of its package names it.
    """
    asked = collector.config.stash[settings.KEY]
    try:
        return importlib.import_module(name)
    except SystemExit as error:
        raise collector.CollectError(_told(_ENDS.format(name), error)) from None
    except Exception as error:  # noqa: BLE001 - whatever the code of a user raises
        if asked.strict or _is_named(name, asked.modules) or not _needs_another(error, name):
            text = _told(f"{name} cannot be imported", error)
            raise collector.CollectError(text) from None
        why = str(error)
    collector.config.stash.setdefault(NOT_IMPORTED, {})[name] = why
    raise pytest.skip.Exception(printable(f"{name} cannot be imported: {why}"))


def _told(what: str, error: BaseException) -> str:
    return "\n".join(map(printable, [what, *users_traceback(error)]))


def _is_named(name: str, entries: Collection[str]) -> bool:
    """Whether the setting names a module, or the package that it is; not only what is around it."""
    return not {name, f"{name}.*"}.isdisjoint(entries)


def _needs_another(error: BaseException | None, name: str) -> bool:
    """Whether a module cannot be imported because a package that it needs is not there.

    A module of its own package is not missing but misspelled.
    """
    own = name.partition(".")[0]
    while isinstance(error, ImportError):
        other = (error.name or "").partition(".")[0]
        if other and (other == own or isinstance(error, ModuleNotFoundError)):
            return other != own
        error = error.__cause__ or error.__context__
    return False
