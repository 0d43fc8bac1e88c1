"""Collects the modules that `compilecheck_modules` names; finds them without importing them."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Collection, Generator, Iterator
from functools import partial
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import Any

import pytest

from pytest_compilecheck.pytest_layer import settings
from pytest_compilecheck.pytest_layer.collecting.file_patterns import is_test_file
from pytest_compilecheck.pytest_layer.collecting.library import LibraryModule
from pytest_compilecheck.pytest_layer.collecting.named_paths import named_paths
from pytest_compilecheck.pytest_layer.running.seeding import seed_contracts

Modules = dict[Path, str]
"""Names of modules by their files."""

IsTest = Callable[[Path], bool]

_ADDED = "compilecheck_added"

_OF_TESTS = (
    "{0} is a test module, whose tests hold their contracts anyway: leave it out, and move what"
    " else has a contract to a module without tests"
)


class LibraryFiles:
    """Hooks that collect the modules beside the tests, unless the call names what to collect.

    Of a file that only this plugin asks for nothing else is collected: no doctests, no linting.
    """

    def __init__(self, modules: Modules, added: Collection[str]) -> None:
        self._modules = modules
        self._added = added

    @classmethod
    def of(cls, config: pytest.Config) -> LibraryFiles:
        """Those of the setting; what the call does not name is added to it.

        Raises:
            pytest.UsageError: there is no such module, or it is one of tests.
        """
        modules: Modules = {}
        for name in config.stash[settings.KEY].modules:
            modules |= _files(name, partial(is_test_file, config))
        added = getattr(config, "workerinput", {}).get(_ADDED, [])
        if config.args_source is not pytest.Config.ArgsSource.ARGS:
            named = named_paths(config)
            added = [str(file) for file in modules if named.isdisjoint((file, *file.parents))]
            config.args += added
        return cls(modules, added)

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell a worker of xdist: it is given all files by name."""
        node.workerinput[_ADDED] = list(self._added)

    @pytest.hookimpl(wrapper=True)
    def pytest_collect_file(
        self, file_path: Path, parent: pytest.Collector
    ) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
        """Collect a module, and of one that was added nothing else."""
        found = yield
        module = self.pytest_pycollect_makemodule(file_path, parent)
        if module is None:
            return found
        others = [] if str(file_path.resolve()) in self._added else found
        return [module, *(each for each in others if not isinstance(each, LibraryModule))]

    @pytest.hookimpl(tryfirst=True)
    def pytest_pycollect_makemodule(
        self, module_path: Path, parent: pytest.Collector
    ) -> LibraryModule | None:
        """Put it in place of pytest's own, which has tests, for a file that the call names."""
        name = self._modules.get(module_path.resolve())
        if name is None:
            return None
        seed_contracts(parent.config)
        return LibraryModule.from_parent(parent, path=module_path, module=name)


def _files(name: str, is_test: IsTest) -> Modules:
    """The files that an entry of the setting names; `is_test` tells test modules."""
    package = name.removesuffix(".*")
    if not all(part.isidentifier() for part in package.split(".")):
        raise _usage_error(
            name, "expected the name of a module, such as package.module or package.*"
        )
    spec = _spec(package)
    if spec is None:
        raise _usage_error(
            name, "there is none: install it, or name its folder in pytest's setting pythonpath"
        )
    return (
        {_file(name, spec, is_test): name} if package == name else _in_package(name, spec, is_test)
    )


def _file(name: str, spec: ModuleSpec, is_test: IsTest) -> Path:
    if spec.origin is None or not spec.origin.endswith(".py"):
        raise _usage_error(name, f"it has no Python file: write {name}.* for the modules in it")
    file = Path(spec.origin).resolve()
    if is_test(file):
        raise _usage_error(name, _OF_TESTS.format(file.name))
    return file


def _in_package(name: str, spec: ModuleSpec, is_test: IsTest) -> Modules:
    package = name.removesuffix(".*")
    if spec.submodule_search_locations is None:
        raise _usage_error(name, f"{package} is a module, and has no others in it: leave out .*")
    found = _in_folders(package, spec.submodule_search_locations)
    modules = {file: module for file, module in found if not is_test(file)}
    if not modules:
        raise _usage_error(
            name, f"{package} has no modules but those that fit python_files: leave it out"
        )
    return modules


def _in_folders(package: str, folders: list[str]) -> Iterator[tuple[Path, str]]:
    """Files and names of the modules; a `__main__` is a program, which runs when it is imported."""
    for folder in folders:
        for file in sorted(Path(folder).resolve().rglob("*.py")):
            names = file.relative_to(Path(folder).resolve()).with_suffix("").parts
            if all(part.isidentifier() for part in names) and names[-1] != "__main__":
                own = names[:-1] if names[-1] == "__init__" else names
                yield file, ".".join((package, *own))


def _spec(name: str) -> ModuleSpec | None:
    """The spec of a module; `importlib.util.find_spec` would import the packages around it."""
    top, *others = name.split(".")
    spec = importlib.util.find_spec(top)
    for index, _ in enumerate(others, 2):
        if spec is None or spec.submodule_search_locations is None:
            return None
        inner = ".".join(name.split(".")[:index])
        spec = PathFinder.find_spec(inner, list(spec.submodule_search_locations))
    return spec


def _usage_error(name: str, why: str) -> pytest.UsageError:
    return pytest.UsageError(f"compilecheck_modules: {name!r}: {why}")
