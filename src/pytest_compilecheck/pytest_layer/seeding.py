"""Seeds torch for a contract's test, fixtures included: weights that they make are the same."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from pytest_compilecheck.pytest_layer.collection import contract_of


def seed(item: pytest.Item) -> None:
    """Seed torch before the item's fixtures are set up."""
    contract = contract_of(item)
    if contract is not None:
        import torch

        torch.manual_seed(contract.seed)


@contextmanager
def random_state_kept() -> Iterator[None]:
    """Go on afterwards with the random numbers that the rest of the run would have had."""
    import torch

    state = torch.get_rng_state()
    try:
        yield
    finally:
        torch.set_rng_state(state)
