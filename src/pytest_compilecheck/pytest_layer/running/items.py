"""Hooks around contract items, registered only with --compilecheck."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from typing import Any

import pytest

from pytest_compilecheck.contract.plain import shown
from pytest_compilecheck.judge.outcome import Outcome
from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.judge.verdict import Verdict
from pytest_compilecheck.judge.violation import ContractViolation
from pytest_compilecheck.pytest_layer.collecting.collection import contract_of, is_unittest
from pytest_compilecheck.pytest_layer.node_id import node_id
from pytest_compilecheck.pytest_layer.policies.replays import REPLAY
from pytest_compilecheck.pytest_layer.running.execution import PARTS, RECORD
from pytest_compilecheck.pytest_layer.running.log_capture import is_pytest_handler
from pytest_compilecheck.pytest_layer.running.reason import reason_of
from pytest_compilecheck.pytest_layer.running.wider_fixtures import WiderFixtures
from pytest_compilecheck.pytest_layer.settings import Settings
from pytest_compilecheck.report.ci.properties import properties

_NOT_HELD = (
    "the compile contract was not held: another plugin or a conftest ran the test in place of this"
    " one (its pytest_pyfunc_call or runtest): let it call the function that it is given, as a"
    " wrapper around the hook does"
)
_BEFORE = pytest.StashKey[dict[str, Any]]()


class ContractItems:
    """Isolates contract items, and puts their records on pytest's reports."""

    def __init__(self, settings: Settings, wider: WiderFixtures) -> None:
        self._settings = settings
        self._wider = wider

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Remember torch's settings as they are before the item's fixtures."""
        if RECORD in item.stash:  # of an earlier run: another plugin runs failed tests again
            del item.stash[RECORD]
        if contract_of(item) is not None:
            from pytest_compilecheck.observe.running.isolation import read_settings

            item.stash[_BEFORE] = read_settings(is_pytest_handler)

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """Quieten the trace; watch a unittest method, which runs itself."""
        contract = contract_of(item)
        if contract is None:
            return (yield)
        from pytest_compilecheck.observe.running.isolation import read_settings
        from pytest_compilecheck.pytest_layer.running.torch_trace import torch_trace

        if _BEFORE not in item.stash:  # a fixture added the mark
            item.stash[_BEFORE] = read_settings(is_pytest_handler)
        with torch_trace(item):
            if not is_unittest(item):
                result = yield
                if RECORD not in item.stash and REPLAY not in item.config.stash:
                    pytest.fail(_NOT_HELD, pytrace=False)
                return result
            from pytest_compilecheck.observe.running.driver import watched_block
            from pytest_compilecheck.pytest_layer.running.execution import conclude
            from pytest_compilecheck.pytest_layer.running.surroundings import surroundings

            with watched_block(contract, surroundings(item.config), fresh=True) as block:
                result = yield
            # unittest keeps what a method raised (also a skip) to itself until the report.
            kept = getattr(item, "_excinfo", None)
            if kept:
                block.error = kept[0].value
            conclude(item, contract, block.run())
            return result

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None, object, object]:
        """Put back what the test left changed, when its fixtures are gone."""
        try:
            return (yield)
        finally:
            if _BEFORE in item.stash:
                self._put_back(item)
                del item.stash[_BEFORE]  # not small, and an item lives as long as the session
            self._wider.forget_ended()

    def _put_back(self, item: pytest.Item) -> None:
        from pytest_compilecheck.observe.running import isolation

        before, after = item.stash[_BEFORE], isolation.read_settings(is_pytest_handler)
        found = isolation.leaked(before, after, self._wider.held())
        isolation.put_back({**found, **isolation.vanished(before, after)}, is_pytest_handler)
        test = node_id(item)
        sentences = tuple(
            f"{test} left {name} = {shown(after[name])} (was {shown(found[name])}); put back"
            for name in isolation.worth_telling(found)
        )
        if sentences and RECORD in item.stash:
            item.stash[RECORD] = replace(item.stash[RECORD], leaks=sentences)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Put the record on the report, by which xdist carries it to the controller."""
        if call.excinfo is not None and contract_of(item) is not None:
            call.excinfo = self._shortened(item, call.excinfo)
        report = yield
        if PARTS in item.stash:
            _put_figures(item, report, item.stash[PARTS])
            parts = [record.to_dict() for record in item.stash[PARTS]]
            del item.stash[PARTS]
            report.compilecheck_parts = parts  # type: ignore[attr-defined]
        violation = call.excinfo.value if call.excinfo is not None else None
        if report.failed and isinstance(violation, ContractViolation):
            _tell_violation(item, report, violation.record)
        if contract_of(item) is None:
            return report
        if RECORD not in item.stash and (call.when == "call" or not report.passed):
            item.stash[RECORD] = _unobserved(item)
        if RECORD not in item.stash:
            return report
        if call.when != "teardown" and (call.when == "call" or not report.passed):
            record = item.stash[RECORD]
            warned = report.passed and not record.verdict.holds and self._settings.warn
            outcome = "warned" if warned else _outcome(report)
            record = replace(record, outcome=outcome, reason=reason_of(report))
            item.stash[RECORD] = record
            _put_figures(item, report, [record])
            self._tell(item, report, call, record)
        report.compilecheck = item.stash[RECORD].to_dict()  # type: ignore[attr-defined]
        return report

    @staticmethod
    def _shortened(
        item: pytest.Item, excinfo: pytest.ExceptionInfo[BaseException]
    ) -> pytest.ExceptionInfo[BaseException]:
        from pytest_compilecheck.pytest_layer.running.compiler_error import without_compiler_frames

        whole = ("fulltrace", "usepdb")
        if any(item.config.getoption(option, False) for option in whole):
            return excinfo
        return without_compiler_frames(excinfo)

    def _tell(
        self,
        item: pytest.Item,
        report: pytest.TestReport,
        call: pytest.CallInfo[None],
        record: ContractRecord,
    ) -> None:
        from pytest_compilecheck.pytest_layer.running.compiler_error import CompilerError
        from pytest_compilecheck.pytest_layer.running.violation_report import (
            ViolationReport,
            seen_text,
        )

        violated = call.excinfo is not None and call.excinfo.errisinstance(ContractViolation)
        if report.failed and record.observed is not None and not violated:
            if call.excinfo is not None and not item.config.getoption("fulltrace", False):
                error = CompilerError.of(call.excinfo, item)
                if error is not None:
                    report.longrepr = error
                    report.compilecheck_error = error.to_dict()  # type: ignore[attr-defined]
            if record.observed.timeline:
                title = "compilecheck: what torch.compile did until then"
                seen = seen_text(record.observed, str(item.config.rootpath))
                report.sections.append((title, seen))
        elif self._settings.warn and record.verdict.violations and not violated:
            title = "compilecheck: broken, only reported (--compilecheck-warn)"
            report.sections.append((title, str(ViolationReport(record, item.config))))


def _tell_violation(item: pytest.Item, report: pytest.TestReport, record: ContractRecord) -> None:
    from pytest_compilecheck.pytest_layer.running.violation_report import ViolationReport

    report.longrepr = ViolationReport(record, item.config)  # type: ignore[assignment]
    report.compilecheck_violation = record.to_dict()  # type: ignore[attr-defined]


def _put_figures(
    item: pytest.Item, report: pytest.TestReport, records: list[ContractRecord]
) -> None:
    """Figures as properties of the test, which JUnit files have; pytest takes the item's last."""
    told = [pair for record in records for pair in properties(record)]
    names = {name for name, _ in told}  # of an earlier run, if another plugin repeats the test
    kept = [pair for pair in item.user_properties if pair[0] not in names]
    item.user_properties[:] = [*kept, *told]
    report.user_properties = list(item.user_properties)


def _unobserved(item: pytest.Item) -> ContractRecord:
    contract = contract_of(item)
    assert contract is not None
    return ContractRecord(
        id=node_id(item),
        outcome="error",
        contract=contract.to_dict(),
        observed=None,
        verdict=Verdict(violations=()),
    )


def _outcome(report: pytest.TestReport) -> Outcome:
    if hasattr(report, "wasxfail"):
        return "xfailed" if report.skipped else "xpassed"
    if report.failed and report.when != "call":
        return "error"
    return report.outcome
