"""What a call of pytest names, and what it wants to be left alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def named_paths(config: pytest.Config) -> set[Path]:
    """The files and folders of a call, or of the setting `testpaths`, without names of tests."""
    folder = config.invocation_params.dir
    return {(folder / each.split("::", maxsplit=1)[0]).resolve() for each in config.args}


def named(config: pytest.Config) -> tuple[str, ...]:
    """The same relative to the rootdir and with the names of tests, as `Scope.paths` has it."""
    return tuple(_relative(config, argument) for argument in config.args)


def ignored(config: pytest.Config) -> tuple[str, ...]:
    """The paths of --ignore and patterns of --ignore-glob, as `Scope.ignored` has them."""
    given = [*(config.getoption("ignore") or ()), *(config.getoption("ignore_glob") or ())]
    return tuple(_relative(config, str(each)) for each in given)


def from_rootdir(config: pytest.Config, path: Path) -> str:
    """A path relative to the rootdir, with forward slashes."""
    return _from(config.rootpath, path)


def _relative(config: pytest.Config, argument: str) -> str:
    path, separator, names = argument.partition("::")
    where = (config.invocation_params.dir / path).resolve()
    return _from(config.rootpath.resolve(), where) + separator + names


def _from(folder: Path, path: Path) -> str:
    return os.path.relpath(path, folder).replace(os.sep, "/")
