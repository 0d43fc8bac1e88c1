"""Seeds torch for a contract's test, fixtures included: weights that they make are the same."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_compilecheck.pytest_layer.collection import contract_of

_STATE = pytest.StashKey[Any]()


def begin(item: pytest.Item) -> None:
    """Seed torch before the item's fixtures are set up."""
    contract = contract_of(item)
    if contract is not None:
        import torch

        item.stash[_STATE] = torch.get_rng_state()
        torch.manual_seed(contract.seed)


def end(item: pytest.Item) -> None:
    """Go on with the random numbers that the rest of the run would have had."""
    if _STATE in item.stash:
        import torch

        torch.set_rng_state(item.stash[_STATE])
        del item.stash[_STATE]
