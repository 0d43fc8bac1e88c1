"""Where the watches of a session stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_compilecheck.observe.as_written import AsWritten
from pytest_compilecheck.pytest_layer.running.owners import owner_label

if TYPE_CHECKING:
    from pytest_compilecheck.observe.surroundings import Surroundings

RUNNING_TESTS = "compilecheck-tests"
_KEY: pytest.StashKey[Surroundings] = pytest.StashKey()


class RunningTests:
    """Tells the watches of a session which functions are tests, and which of them runs."""

    def __init__(self) -> None:
        self.swap = AsWritten()

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Note a function of which tests are made."""
        self.swap.tests.collected(metafunc.function)

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> None:
        """Look at its asserts, and at those of what it makes."""
        self.swap.test_begins(pyfuncitem.function)


def surroundings(config: pytest.Config) -> Surroundings:
    """The same for all contracts; torch is as it was when pytest ends."""
    from pytest_compilecheck.observe.surroundings import Surroundings

    if _KEY not in config.stash:
        told = config.pluginmanager.get_plugin(RUNNING_TESTS)
        made = Surroundings(
            root=str(config.rootpath),
            label_owner=owner_label(config),
            swap=told.swap if told is not None else AsWritten(),
        )
        config.stash[_KEY] = made
        config.add_cleanup(made.close)
    return config.stash[_KEY]
