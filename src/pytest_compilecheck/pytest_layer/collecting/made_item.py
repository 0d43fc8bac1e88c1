"""A contract item that makes what its contract names, and runs the trace on it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from pytest_compilecheck.contract.faults import ContractError, Fault, Place
from pytest_compilecheck.contract.model import Contract
from pytest_compilecheck.judge.violation import ContractViolation
from pytest_compilecheck.pytest_layer.collecting.contract_item import ContractItem
from pytest_compilecheck.pytest_layer.running.compiler_error import from_users_code, users_traceback
from pytest_compilecheck.pytest_layer.running.execution import run_made

if TYPE_CHECKING:
    from pytest_compilecheck.observe.running.target import Callee, TargetError


_MARKED = "the mark compile_contract is for tests: write its fields where the contract is written"


class MadeItem(ContractItem):
    """Makes what its contract names, in setup, and runs the trace on it."""

    def __init__(self, *, contract: Contract, **of_pytest: Any) -> None:
        """Take the contract as it is under the installed torch."""
        super().__init__(contract=contract, **of_pytest)
        self.callee: Callee | None = None

    def make(self) -> tuple[Callee, Contract]:
        """What is called, and the contract with its inputs checked against the call."""
        raise NotImplementedError

    def setup(self) -> None:
        """Make the target, as fixtures of a test are made."""
        from pytest_compilecheck.observe.running.target import TargetError

        if self.get_closest_marker("compile_contract") is not None:
            fault = Fault(_MARKED, self.place_of("target"))
            raise pytest.fail.Exception(str(ContractError([fault], self.name)), pytrace=False)
        try:
            self.callee, self.contract = self.make()
        except ContractError as error:
            raise pytest.fail.Exception(str(error), pytrace=False) from None
        except TargetError as error:
            told = unmade(error, self.place_of(error.at), self.name)
            raise pytest.fail.Exception(told, pytrace=False) from None

    def runtest(self) -> None:
        """Run the trace."""
        assert self.callee is not None
        try:
            run_made(self, self.contract, self.callee)
        except ContractViolation:
            raise
        except Exception as error:
            if hasattr(error, "add_note"):  # Python 3.11 and newer
                path, line, _ = self.reportinfo()
                shown = os.path.relpath(path, self.config.invocation_params.dir)
                error.add_note(f"in the contract at {shown}:{(line or 0) + 1}")
            raise

    def teardown(self) -> None:
        """Let the target go."""
        self.callee = None

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """As pytest does, from where the error reaches code of the user's."""
        return super().repr_failure(from_users_code(excinfo), style)


def unmade(error: TargetError, place: Place, subject: str) -> str:
    """Why a target cannot be made: the part of the contract, and the error behind it."""
    head = str(ContractError([Fault(f"{error.at}: {error}", place)], subject))
    return "\n".join([head, *users_traceback(error.__cause__)])
