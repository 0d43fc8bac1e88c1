"""The baseline in a run: excuses what it knows, tells what is better, writes what was asked for."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from pytest_compilecheck.baseline.excuse import Improvement, excused, improvements
from pytest_compilecheck.baseline.file import BaselineError, read_baseline
from pytest_compilecheck.baseline.held import packages_of
from pytest_compilecheck.baseline.known import Baseline, Known, Recorded
from pytest_compilecheck.baseline.release import minor_release
from pytest_compilecheck.baseline.told import changes_lines, held_lines, improvement_text, standing
from pytest_compilecheck.baseline.update import updated
from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.judge.verdict import Violation
from pytest_compilecheck.pytest_layer.installed import torch_version
from pytest_compilecheck.pytest_layer.running.expected import is_expected_to_fail
from pytest_compilecheck.pytest_layer.settings import Settings


class Ratchet:
    """What the baseline of a run knows; one in each process that runs or gathers contracts."""

    def __init__(self, config: pytest.Config, settings: Settings, path: Path) -> None:
        """Read the baseline.

        Raises:
            pytest.UsageError: it cannot be read.
        """
        self._config = config
        self._settings = settings
        self._path = path
        self._release = minor_release(torch_version())
        try:
            new = settings.update in ("new", "all") and not path.exists()
            self._baseline = Baseline() if new else read_baseline(path)
        except BaselineError as error:
            raise pytest.UsageError(str(error)) from None

    def held(self, item: pytest.Item, record: ContractRecord) -> ContractRecord:
        """The record as the baseline has it judged; in strict mode what is better is a violation.

        A test that is expected to fail is held by its mark and not by the baseline.
        """
        if is_expected_to_fail(item):
            return record
        known = self._known(record)
        record = excused(record, known, self._settings.update)
        if not self._settings.strict or self._settings.update in ("tighten", "all"):
            return record
        stale = [self._stale(each) for each in improvements(record, known)]
        verdict = replace(record.verdict, violations=(*record.verdict.violations, *stale))
        return replace(record, verdict=verdict)

    def finish(self, records: Sequence[ContractRecord], gone: Iterable[str]) -> list[str]:
        """Write the baseline if that was asked for, and say what there is to say, line by line.

        `gone` are contracts of the baseline that there are no more.

        Raises:
            BaselineError: the baseline cannot be written.
        """
        if self._settings.update is None:
            told = standing(self._baseline, records, torch_version(), gone, self._command)
            return [*held_lines(records), *told]
        from pytest_compilecheck.baseline.store import update_file

        change = partial(
            updated,
            records=records,
            update=self._settings.update,
            release=self._release,
            recorded=Recorded(torch_version(), packages_of(records)),
            gone=list(gone),
        )
        return changes_lines(update_file(self._path, change), self._shown_path())

    def is_stale(self, gone: Iterable[str]) -> bool:
        """Whether the run must fail for contracts that are in the baseline only."""
        return self._settings.strict and self._settings.update is None and any(gone)

    @property
    def contracts(self) -> list[str]:
        """The contracts of which the baseline knows something."""
        return list(self._baseline.contracts)

    def _known(self, record: ContractRecord) -> Known:
        return self._baseline.known(record.unit, self._release)

    def _stale(self, better: Improvement) -> Violation:
        return Violation(
            bound="stale_baseline",
            allowed=better.known,
            observed=better.seen or 0,
            message=f"better than the baseline: {improvement_text(better)}; hold it: "
            f"{self._command('tighten')}",
        )

    def _command(self, update: str) -> str:
        """The command that updates the baseline."""
        typed = self._config.getoption("compilecheck_baseline") is not None
        path = f" --compilecheck-baseline={shlex.quote(self._shown_path())}" if typed else ""
        return f"pytest --compilecheck{path} --compilecheck-update={update}"

    def _shown_path(self) -> str:
        return os.path.relpath(self._path, self._config.invocation_params.dir)


KEY = pytest.StashKey[Ratchet]()
