"""Gathers the records of a run, has its reports written, prints the summary."""

from __future__ import annotations

import os
import platform
from collections.abc import Generator, Sequence

import pytest

from pytest_compilecheck.judge.audited import AuditedTest
from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.judge.run_report import RunReport
from pytest_compilecheck.pytest_layer.collecting.looked_for import NOTICES
from pytest_compilecheck.pytest_layer.ending.baseline_end import BaselineEnd
from pytest_compilecheck.pytest_layer.ending.gathered import Gathered
from pytest_compilecheck.pytest_layer.ending.header import header_notes, header_text
from pytest_compilecheck.pytest_layer.ending.outputs import Outputs
from pytest_compilecheck.pytest_layer.ending.progress import Progress
from pytest_compilecheck.pytest_layer.ending.scope import Scope, none_held, not_looked_for
from pytest_compilecheck.pytest_layer.installed import torch_version
from pytest_compilecheck.pytest_layer.running.compiler_error import CompilerError
from pytest_compilecheck.pytest_layer.running.violation_report import ViolationReport, write_lines
from pytest_compilecheck.pytest_layer.settings import Settings
from pytest_compilecheck.report.accepted import accepted_lines
from pytest_compilecheck.report.aside import aside_lines
from pytest_compilecheck.report.audit import audit_lines
from pytest_compilecheck.report.ci.repository import layout
from pytest_compilecheck.report.incomplete import incomplete_text
from pytest_compilecheck.report.outcome_reason import outcome_reasons
from pytest_compilecheck.report.parts.trouble import doubts_section
from pytest_compilecheck.report.policies.text import policies_lines
from pytest_compilecheck.report.style import MARKUP, separated
from pytest_compilecheck.report.table import summary_table
from pytest_compilecheck.report.wording import printable


class RecordSink:
    """Lives where the reports arrive: in the only process, or in xdist's controller."""

    def __init__(self, config: pytest.Config, settings: Settings) -> None:
        self._config = config
        self._settings = settings
        self._gathered = Gathered()
        self._audited: list[AuditedTest] = []
        self._outputs = Outputs(config, settings)
        self._baseline = BaselineEnd(config, settings)
        self._progress = Progress(config)
        config.pluginmanager.register(self._progress, "compilecheck-progress")
        self.scope = Scope()

    def pytest_report_header(self) -> list[str]:
        """Say that contracts are held, and by which torch."""
        workers = bool(self._config.getoption("tx", None))
        return [header_text(self._settings, shared=workers), *header_notes()]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take the records off a report; a worker's failure text gets its colours back."""
        audited = getattr(report, "compilecheck_audit", None)
        if audited is not None:
            self._audited.append(AuditedTest.from_dict(audited))
        self._gathered.take(report)
        if not isinstance(report.longrepr, str):
            return
        error = getattr(report, "compilecheck_error", None)
        violation = getattr(report, "compilecheck_violation", None)
        if error is not None:
            report.longrepr = CompilerError(**error)  # type: ignore[assignment]
        elif violation is not None:
            told = ViolationReport(ContractRecord.from_dict(violation), self._config)
            report.longrepr = told  # type: ignore[assignment]

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_sessionfinish(
        self, session: pytest.Session, exitstatus: int
    ) -> Generator[None, object, object]:
        """Write the reports, when xdist has heard of all its workers.

        A run exits as pytest does: 1 where a test or a contract fails, 2 where it was interrupted
        or a contract cannot be read, 4 where an option is wrong. A run that would exit with 0 exits
        with 1 where a report or a baseline that was asked for cannot be written, where a worker of
        pytest-xdist took contracts with it, or where, with `--compilecheck-strict`, something is
        better than the baseline has it.
        """
        result = yield
        if not self._progress.is_run:
            return result  # an earlier report stays
        records = self._gathered.records
        self.scope = self._progress.scope(session, exitstatus, records)
        if self._progress.has_begun:
            self._outputs.write(self._report(records))
            self._baseline.finish(session, records, self.scope)
        else:
            self._outputs.leave()
        lost = self._progress.crashes and self.scope.missing
        if (self._outputs.failed or lost) and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        return result

    def _report(self, records: tuple[ContractRecord, ...]) -> RunReport:
        unrecorded = self.scope.unmeasured - {record.id for record in records}
        known = self.scope.certain and not self._settings.audit
        return RunReport(
            torch=torch_version(),
            python=platform.python_version(),
            complete=self.scope.complete,
            contracts=records,
            audit=tuple(self._audited) if self._settings.audit else None,
            layout=layout(str(self._config.rootpath), os.environ, top=self._top),
            missing=tuple(self.scope.missing),
            left_out=tuple(self.scope.left_out),
            unwatched=tuple(unrecorded) if known else (),
            paths=tuple(dict.fromkeys(self.scope.paths)),
        )

    @property
    def _top(self) -> int | None:
        """Rows of a table; -v asks for all."""
        return 0 if self._config.get_verbosity() > 0 else self._settings.top

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print one row for each contract, and what the tests leaked."""
        if not self._progress.is_run:
            return
        records = self._gathered.records
        verbose = self._config.get_verbosity() > 0
        if records and self._config.get_verbosity() >= 0:
            terminalreporter.section("compile contracts")
            terminalreporter.write_line(summary_table(records, self._top))
            self._tell_beside(terminalreporter, records)
        self._tell_none_held(terminalreporter, records)
        self._tell_doubts(terminalreporter, records)
        self._tell_policies(terminalreporter, records, verbose=verbose)
        if not self.scope.complete:
            terminalreporter.write_line(self._incomplete(), **MARKUP["bad"])
        if self._settings.audit:
            terminalreporter.section("compile audit")
            told = audit_lines(self._audited, top=self._top, verbose=verbose)
            write_lines(terminalreporter._tw, told)
        self._baseline.tell(terminalreporter)
        self._outputs.tell(terminalreporter)

    @staticmethod
    def _tell_beside(terminal: pytest.TerminalReporter, records: Sequence[ContractRecord]) -> None:
        """What the table has no room for: why contracts were not held, what they accept."""
        for reason in outcome_reasons(records):
            terminal.write_line(reason, **MARKUP["dim"])
        for record in records:
            for accepted in accepted_lines(record):
                terminal.write_line(accepted, **MARKUP["dim"])
            for text, meaning in aside_lines(record):
                terminal.write_line(text, **MARKUP[meaning])

    def _tell_none_held(
        self, terminal: pytest.TerminalReporter, records: Sequence[ContractRecord]
    ) -> None:
        """However quiet a run is: what it did not look at, and that it held nothing."""
        notices = [*not_looked_for(self.scope)]
        if self._settings.active:
            notices = [*self._config.stash[NOTICES], *notices]
            if all(record.outcome == "skipped" for record in records):
                notices.append(none_held(self.scope, len(records)))
        for text in notices:
            terminal.write_line(printable(text), **MARKUP["bad"])

    def _tell_doubts(
        self, terminal: pytest.TerminalReporter, records: Sequence[ContractRecord]
    ) -> None:
        """Once for all contracts; an audit tells it with what else could not be watched."""
        seen = (record.observed for record in records if record.observed is not None)
        if not self._settings.audit:
            write_lines(terminal._tw, doubts_section(d for each in seen for d in each.doubts))

    def _tell_policies(
        self, terminal: pytest.TerminalReporter, records: Sequence[ContractRecord], *, verbose: bool
    ) -> None:
        told = separated(policies_lines(record, verbose=verbose) for record in records)
        if told and self._config.get_verbosity() >= 0:
            terminal.section("shape policies")
            write_lines(terminal._tw, told)

    def _incomplete(self) -> str:
        return incomplete_text(
            self.scope.missing,
            self._progress.crashes,
            noun="test" if self._settings.audit else "contract",
            certain=self.scope.certain,
            collected=self.scope.read,
            verbose=self._config.get_verbosity() > 0,
        )
