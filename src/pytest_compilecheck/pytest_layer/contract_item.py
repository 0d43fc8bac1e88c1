"""A test item that is a contract and no function of a test module."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_compilecheck.contract.faults import ContractError, Fault, Place
from pytest_compilecheck.contract.model import Contract

if TYPE_CHECKING:
    from pytest_compilecheck.observe.target import Callee, TargetError


class ContractItem(pytest.Item):
    """Makes what its contract names, in setup, and runs the trace on it."""

    def __init__(self, *, contract: Contract, **of_pytest: Any) -> None:
        """Take the contract as it is under the installed torch."""
        super().__init__(**of_pytest)
        self.contract = contract
        self.callee: Callee | None = None

    def make(self) -> tuple[Callee, Contract]:
        """What is called, and the contract with its inputs checked against the call."""
        raise NotImplementedError

    def place_of(self, part: str) -> Place:
        """Where a part of the contract is written: "target", "arguments", "call"."""
        raise NotImplementedError

    def setup(self) -> None:
        """Make the target, as fixtures of a test are made."""
        from pytest_compilecheck.observe.target import TargetError

        try:
            self.callee, self.contract = self.make()
        except ContractError as error:
            raise pytest.fail.Exception(str(error), pytrace=False) from None
        except TargetError as error:
            raise pytest.fail.Exception(self._told(error), pytrace=False) from None

    def runtest(self) -> None:
        """Run the trace."""
        from pytest_compilecheck.pytest_layer.execution import run_made

        assert self.callee is not None
        run_made(self, self.contract, self.callee)

    def teardown(self) -> None:
        """Let the target go."""
        self.callee = None

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """As pytest does, from where the error reaches code of the user's."""
        from pytest_compilecheck.pytest_layer.compiler_error import from_users_code

        return super().repr_failure(from_users_code(excinfo), style)

    def _told(self, error: TargetError) -> str:
        from pytest_compilecheck.pytest_layer.compiler_error import users_traceback

        fault = Fault(f"{error.at}: {error}", self.place_of(error.at))
        head = str(ContractError([fault], self.name))
        return "\n".join([head, *users_traceback(error.__cause__)])
