"""A test item that is a contract and no function of a test module."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_compilecheck.contract.faults import Place
from pytest_compilecheck.contract.model import Contract


class ContractItem(pytest.Item):
    """Has a contract of its own."""

    def __init__(self, *, contract: Contract, **of_pytest: Any) -> None:
        """Take the contract as it is under the installed torch."""
        super().__init__(**of_pytest)
        self.contract = contract

    def place_of(self, part: str) -> Place:
        """Where a part of the contract is written: "target", "arguments", "backend"."""
        raise NotImplementedError
