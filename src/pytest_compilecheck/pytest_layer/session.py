"""Gathers the records of a run, has its reports written, prints the summary."""

from __future__ import annotations

import os
import platform

import pytest

from pytest_compilecheck.judge.audited import AuditedTest
from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.judge.run_report import RunReport
from pytest_compilecheck.pytest_layer.compiler_error import CompilerError
from pytest_compilecheck.pytest_layer.header import header_text
from pytest_compilecheck.pytest_layer.installed import torch_version
from pytest_compilecheck.pytest_layer.outputs import Outputs
from pytest_compilecheck.pytest_layer.settings import Settings
from pytest_compilecheck.pytest_layer.violation_report import ViolationReport, write_lines
from pytest_compilecheck.report.aside import aside_lines
from pytest_compilecheck.report.audit import audit_lines
from pytest_compilecheck.report.repository import layout
from pytest_compilecheck.report.style import MARKUP
from pytest_compilecheck.report.table import summary_table


class RecordSink:
    """Lives where the reports arrive: in the only process, or in xdist's controller."""

    def __init__(self, config: pytest.Config, settings: Settings) -> None:
        self._config = config
        self._settings = settings
        self._records: dict[tuple[str, str], ContractRecord] = {}
        self._audited: list[AuditedTest] = []
        self._outputs = Outputs(settings)
        self._uncollected = False
        self._worker_died = False

    def pytest_report_header(self) -> str:
        """Say that contracts are held, and by which torch."""
        return header_text(self._settings)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take the record off a report; a worker's failure text gets its colours back."""
        audited = getattr(report, "compilecheck_audit", None)
        if audited is not None:
            self._audited.append(AuditedTest.from_dict(audited))
        data = getattr(report, "compilecheck", None)
        for found in (*getattr(report, "compilecheck_parts", ()), *([data] if data else ())):
            record = ContractRecord.from_dict(found)
            self._records[record.id, record.part or ""] = record
        if not isinstance(report.longrepr, str):
            return
        error = getattr(report, "compilecheck_error", None)
        violation = getattr(report, "compilecheck_violation", None)
        if error is not None:
            report.longrepr = CompilerError(**error)  # type: ignore[assignment]
        elif violation is not None:
            told = ViolationReport(ContractRecord.from_dict(violation), self._config)
            report.longrepr = told  # type: ignore[assignment]

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, error: object) -> None:
        """Remember that a worker of xdist died, with the record of the test that it was running."""
        self._worker_died |= error is not None

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Write the reports; the run fails where one that was asked for cannot be written."""
        self._outputs.write(self._report(session, exitstatus))
        if self._outputs.failed and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _report(self, session: pytest.Session, exitstatus: int) -> RunReport:
        finished = not (self._worker_died or self._uncollected) and exitstatus in (
            pytest.ExitCode.OK,
            pytest.ExitCode.TESTS_FAILED,
            pytest.ExitCode.NO_TESTS_COLLECTED,
        )
        return RunReport(
            torch=torch_version(),
            python=platform.python_version(),
            complete=finished and not (session.shouldstop or session.shouldfail),
            contracts=tuple(self._records.values()),
            audit=tuple(self._audited) if self._settings.audit else None,
            layout=layout(
                str(self._config.rootpath),
                workspace=os.environ.get("GITHUB_WORKSPACE"),
                top=self._settings.top,
            ),
        )

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A file that could not be collected may hold contracts."""
        self._uncollected |= report.failed

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print one row for each contract, and what the tests leaked."""
        records = [self._records[key] for key in sorted(self._records)]
        verbose = self._config.get_verbosity() > 0
        top = 0 if verbose else self._settings.top
        if records and self._config.get_verbosity() >= 0:
            terminalreporter.section("compile contracts")
            terminalreporter.write_line(summary_table(records, top))
            for record in records:
                for text, meaning in aside_lines(record):
                    terminalreporter.write_line(text, **MARKUP[meaning])
        if self._settings.audit:
            terminalreporter.section("compile audit")
            told = audit_lines(self._audited, top=top, verbose=verbose)
            write_lines(terminalreporter._tw, told)
        self._outputs.tell(terminalreporter)
