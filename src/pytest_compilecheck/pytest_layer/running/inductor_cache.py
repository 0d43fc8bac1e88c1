"""A cache directory of its own for the contracts of a process, registered with --compilecheck."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Generator
from contextlib import ExitStack

import pytest

from pytest_compilecheck.contract.combinations import runs_graph_as_is
from pytest_compilecheck.contract.model import Contract
from pytest_compilecheck.pytest_layer.collecting.collection import contract_of
from pytest_compilecheck.pytest_layer.settings import Settings


class InductorCache:
    """Keeps Inductor's files of contract items, with their fixtures, apart from other processes'.

    They lie in a temporary directory that goes with the session. Where the user chose a directory
    (TORCHINDUCTOR_CACHE_DIR), they lie there and stay; under xdist each worker has a directory of
    its name below it.
    """

    def __init__(self, config: pytest.Config, settings: Settings) -> None:
        self._settings = settings
        self._worker: str | None = getattr(config, "workerinput", {}).get("workerid")
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        self._in_use: ExitStack | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Set the variables before the fixtures of a contract's test are set up."""
        self._begin(item)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> None:
        """Set them now if a fixture added the contract."""
        self._begin(item)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self) -> Generator[None, object, object]:
        """Put them back when the fixtures are gone."""
        try:
            return (yield)
        finally:
            self._end()

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        """Remove the temporary directory, also after a test that was interrupted."""
        self._end()
        if self._temporary is not None:
            self._temporary.cleanup()
            self._temporary = None

    def _begin(self, item: pytest.Item) -> None:
        if self._in_use is not None or not self._may_use_inductor(item):
            return
        from pytest_compilecheck.observe.running.inductor_cache import cache_in, chosen_directory

        self._in_use = ExitStack()
        chosen = chosen_directory()
        if chosen is None:
            self._in_use.enter_context(cache_in(self._temporary_directory()))
        elif self._worker is not None:
            self._in_use.enter_context(cache_in(os.path.join(chosen, self._worker)))

    def _end(self) -> None:
        if self._in_use is not None:
            self._in_use.close()
            self._in_use = None

    def _may_use_inductor(self, item: pytest.Item) -> bool:
        contract = contract_of(item)
        return contract is not None and may_use_inductor(contract, self._settings.backend)

    def _temporary_directory(self) -> str:
        if self._temporary is None:
            self._temporary = temporary_directory()
        return self._temporary.name


def may_use_inductor(contract: Contract, default_backend: str) -> bool:
    """Whether Inductor may be used: other backends that generate code may hand graphs to it."""
    return contract.watch_only or not runs_graph_as_is(contract.backend_or(default_backend))


def temporary_directory(what: str = "inductor") -> tempfile.TemporaryDirectory[str]:
    """A directory for files of Inductor's; on Windows a loaded library in it stays."""
    return tempfile.TemporaryDirectory(prefix=f"compilecheck-{what}-", ignore_cleanup_errors=True)
