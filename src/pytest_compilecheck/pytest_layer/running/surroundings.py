"""Where the watches of a session stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_compilecheck.pytest_layer.running.owners import owner_label

if TYPE_CHECKING:
    from pytest_compilecheck.observe.surroundings import Surroundings

_KEY: pytest.StashKey[Surroundings] = pytest.StashKey()


def surroundings(config: pytest.Config) -> Surroundings:
    """The same for all contracts; torch is as it was when pytest ends."""
    from pytest_compilecheck.observe.surroundings import Surroundings

    if _KEY not in config.stash:
        made = Surroundings(root=str(config.rootpath), label_owner=owner_label(config))
        config.stash[_KEY] = made
        config.add_cleanup(made.close)
    return config.stash[_KEY]
