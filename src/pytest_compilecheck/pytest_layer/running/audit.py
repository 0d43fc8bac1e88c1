"""Watches every test of a suite, without a verdict, registered only with --compilecheck-audit."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import ExitStack

import pytest

from pytest_compilecheck.judge.audited import AuditedTest
from pytest_compilecheck.observe.watch import Watch
from pytest_compilecheck.pytest_layer.collecting.collection import contract_of
from pytest_compilecheck.pytest_layer.node_id import node_id
from pytest_compilecheck.pytest_layer.running.surroundings import surroundings
from pytest_compilecheck.pytest_layer.settings import Settings

_OUTCOME = pytest.StashKey[str]()


class Audit:
    """One watch over the whole session; what it saw of a test goes on the test's last report."""

    def __init__(self, config: pytest.Config, settings: Settings) -> None:
        self._settings = settings
        around = surroundings(config)
        self._swap = around.swap
        self._watch = Watch(around.root, around=self._swap, label_owner=around.label_owner)
        self._open = ExitStack()

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self) -> None:
        """Begin to watch: opening a watch takes longer than many a test."""
        self._open.enter_context(self._swap.telling(self._watch.trouble))
        self._open.enter_context(self._watch)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        """Leave torch as it was."""
        self._open.close()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self) -> Generator[None, object, object]:
        """Tell a test, with its fixtures, from what was compiled between tests."""
        self._watch.cut()
        try:
            return (yield)
        finally:
            self._swap.end()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Put what was seen on the report of the teardown, which every test has."""
        report = yield
        if report.when == "call" or not report.passed:
            item.stash[_OUTCOME] = report.outcome
        held = self._settings.active and contract_of(item) is not None
        if report.when == "teardown" and not held:
            audited = AuditedTest(
                id=node_id(item),
                outcome=item.stash.get(_OUTCOME, report.outcome),
                observed=self._watch.cut(),
            )
            report.compilecheck_audit = audited.to_dict()  # type: ignore[attr-defined]
        return report
