"""Seeds torch for a contract's test, fixtures included: weights that they make are the same."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from pytest_compilecheck.decorator import contracts_of
from pytest_compilecheck.pytest_layer.collecting.collection import contract_of
from pytest_compilecheck.pytest_layer.collecting.contract_item import ContractItem


def seed_contracts(config: pytest.Config) -> None:
    """Have the tests of contracts seeded from now on."""
    if not config.pluginmanager.hasplugin("compilecheck-seeding"):
        config.pluginmanager.register(Seeding(), "compilecheck-seeding")


class Seeding:
    """Hooks that are registered when the first contract is collected: plain runs pay nothing."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Go on after a test with the random numbers that the run would have had without it."""
        if not _is_contract(item):
            return (yield)
        import torch

        state = torch.get_rng_state()
        try:
            return (yield)
        finally:
            torch.set_rng_state(state)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Seed torch before the fixtures of a contract's test are set up."""
        contract = contract_of(item)
        if contract is not None:
            import torch

            torch.manual_seed(contract.seed)


def _is_contract(item: pytest.Item) -> bool:
    """Whether an item carries a contract, faulty or not."""
    noted = isinstance(item, ContractItem) or bool(contracts_of(getattr(item, "obj", None)))
    return noted or item.get_closest_marker("compile_contract") is not None
