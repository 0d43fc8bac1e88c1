"""The end of a run that is held to a baseline: written if asked for, and what is better is told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest

from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.pytest_layer.ending.scope import Scope
from pytest_compilecheck.pytest_layer.settings import Settings

if TYPE_CHECKING:
    from pytest_compilecheck.pytest_layer.ending.ratchet import Ratchet


class BaselineEnd:
    """Lives where the records are gathered; loads and does nothing in a run without a baseline."""

    def __init__(self, config: pytest.Config, settings: Settings) -> None:
        self._ratchet = _ratchet(config) if settings.active and settings.baseline else None
        self._writes = settings.update is not None
        self._lines: list[str] = []
        self._failure = ""

    def finish(
        self, session: pytest.Session, records: Sequence[ContractRecord], scope: Scope
    ) -> None:
        """Write the baseline; the run fails where it cannot be, and by what strict mode finds."""
        if self._ratchet is None:
            return
        from pytest_compilecheck.baseline.file import BaselineError

        seen = {record.unit for record in records}
        gone = [
            contract
            for contract in self._ratchet.contracts
            if contract not in seen and scope.covers(contract)
        ]
        try:
            self._lines = self._ratchet.finish(records, gone)
        except BaselineError as error:
            self._failure = str(error)
        if (self._failure or self._ratchet.is_stale(gone)) and (
            session.exitstatus == pytest.ExitCode.OK
        ):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def tell(self, terminal: pytest.TerminalReporter) -> None:
        """Print what there is to say."""
        if self._failure:
            terminal.write_line(self._failure, red=True)
        elif self._writes or terminal.config.get_verbosity() >= 0:
            for text in self._lines:
                terminal.write_line(f"compilecheck: {text}")


def _ratchet(config: pytest.Config) -> Ratchet:
    from pytest_compilecheck.pytest_layer.ending.ratchet import KEY

    return config.stash[KEY]
