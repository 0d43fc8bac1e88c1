"""Looks for contract files before pytest does: a run shall not pass because it held none."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest

from pytest_compilecheck.contract.file.find import (
    PASSED_OVER,
    YAML_SUFFIXES,
    makes_contracts,
)
from pytest_compilecheck.pytest_layer import settings
from pytest_compilecheck.pytest_layer.collecting.file_patterns import fits
from pytest_compilecheck.pytest_layer.collecting.named_paths import ignored, named_paths
from pytest_compilecheck.pytest_layer.options import SETTINGS

NOTICES = pytest.StashKey[tuple[str, ...]]()
"""What a run says at its end of files that it held no contract of."""


_OUTSIDE = "compilecheck_outside"


def look_for_files(config: pytest.Config) -> None:
    """Add contract files that lie outside of `testpaths` to the call; note what nothing looks at.

    Where a call names paths, it is these alone that are collected and looked into. A worker of
    xdist adds what its controller found.
    """
    if hasattr(config, "workerinput"):
        _add(config, config.workerinput.get(_OUTSIDE, []))
        return
    source = config.args_source
    by_setting = source is pytest.Config.ArgsSource.TESTPATHS
    named, root = named_paths(config), config.rootpath.resolve()
    folders = {root} if by_setting else {path for path in named if path.is_dir()}
    seen = _Seen(config, root)
    for folder in sorted(folders):
        seen.look_into(folder)
    if by_setting:
        outside = [file for file in seen.fitting if named.isdisjoint((file, *file.parents))]
        added = [seen.relative(file) for file in outside]
        _add(config, added)
        config.pluginmanager.register(_ForWorkers(added), "compilecheck-outside")
    whole = source is not pytest.Config.ArgsSource.ARGS and root in folders
    passed_over = seen.passed_over(named)
    config.stash[NOTICES] = (*(seen.idle_patterns() if whole else ()), *passed_over)


def _add(config: pytest.Config, files: Iterable[str]) -> None:
    config.args += [str(config.rootpath / file) for file in files]


class _ForWorkers:
    """Tells workers of xdist, which read the settings of their own accord, what to add."""

    def __init__(self, files: list[str]) -> None:
        self._files = files

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Before a worker starts."""
        node.workerinput[_OUTSIDE] = self._files


class _Seen:
    """The YAML files in some folders; `fitting` are those that the setting asks for."""

    def __init__(self, config: pytest.Config, root: Path) -> None:
        self._config = config
        self._root = root
        self._patterns = config.stash[settings.KEY].files
        self.fitting: dict[Path, None] = {}
        self._others: dict[Path, None] = {}

    def relative(self, path: Path) -> str:
        """A path from the rootdir on, as patterns have it."""
        return os.path.relpath(path, self._root).replace(os.sep, "/")

    def look_into(self, folder: Path) -> None:
        """See the files in a folder and those below it, as far as pytest would look."""
        for where, folders, names in os.walk(folder):
            here = Path(where)
            folders[:] = sorted(name for name in folders if not self._is_closed(here / name))
            for name in sorted(names):
                path = here / name
                if name.endswith(YAML_SUFFIXES) and path.is_file() and not self._ignores(path):
                    found = self.fitting if self._fits_any(path) else self._others
                    found[path] = None

    def idle_patterns(self) -> Iterator[str]:
        """What is said of patterns that the project gives and no file fits."""
        usual = next(each.default for each in SETTINGS if each.name == "compilecheck_files")
        for pattern in self._patterns:
            if pattern not in usual and not any(
                fits(self.relative(path), pattern) for path in self.fitting
            ):
                yield f"compilecheck_files: no file fits {pattern!r}"

    def passed_over(self, named: Collection[Path]) -> Iterator[str]:
        """What is said of files with contracts where contract files lie, unless they are named."""
        folders = {path.parent for path in self.fitting}
        for path in self._others:
            is_near = path.parent in folders or path.parent.name == "contracts"
            if is_near and path not in named and makes_contracts(str(path)):
                yield (
                    f"{self.relative(path)} has contracts and is passed over, because it fits no"
                    f" pattern of compilecheck_files ({' '.join(self._patterns)}): rename it"
                )

    def _fits_any(self, path: Path) -> bool:
        return any(fits(self.relative(path), pattern) for pattern in self._patterns)

    def _is_closed(self, folder: Path) -> bool:
        patterns = self._config.getini("norecursedirs")
        return (
            folder.name in PASSED_OVER
            or any(fnmatch(folder.name, pattern) for pattern in patterns)
            or (folder / "pyvenv.cfg").is_file()
            or self._ignores(folder)
        )

    def _ignores(self, path: Path) -> bool:
        """Whether the call wants it left alone: pytest collects what is named all the same."""
        return any(fnmatch(self.relative(path), each) for each in ignored(self._config))
