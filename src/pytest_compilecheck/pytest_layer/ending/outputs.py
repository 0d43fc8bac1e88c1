"""Writes the reports of a run in the formats that were asked for, and tells of it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from pytest_compilecheck.files import write_whole
from pytest_compilecheck.judge.run_report import RunReport
from pytest_compilecheck.observe.errors import told
from pytest_compilecheck.pytest_layer.ending.github import GitHub
from pytest_compilecheck.pytest_layer.ending.report_formats import formats_for
from pytest_compilecheck.pytest_layer.settings import Settings
from pytest_compilecheck.report.format_failure import failure_text
from pytest_compilecheck.report.installed_formats import overruled
from pytest_compilecheck.report.wording import plural, printable


class Outputs:
    """The report files of a run."""

    def __init__(self, config: pytest.Config, settings: Settings) -> None:
        """Find the formats.

        Raises:
            pytest.UsageError: there is none of that name.
        """
        self._paths = settings.reports
        self._formats = formats_for(config, settings.reports)
        self._notes = overruled(settings.reports) if settings.reports else []
        self.failed: list[str] = []
        self._written: list[Path] = []
        self._github = GitHub(settings)

    def write(self, report: RunReport) -> None:
        """Write each; one that cannot be written is noted and stops no other."""
        for name, path in self._paths.items():
            chosen = self._formats[name]
            try:
                whole = chosen.render(report)
            except Exception as error:  # noqa: BLE001 - a renderer may be anybody's
                self.failed.append(failure_text(name, chosen, error, told(error)))
                continue
            try:
                write_whole(path, whole)
                self._written.append(path)
            except OSError as error:
                self.failed.append(f"the {name} report could not be written: {error}")
        self._github.write(report)

    def leave(self) -> None:
        """Write none: a run that was stopped before its tests has nothing to put in the place."""
        why = "the run was stopped before its tests, and an earlier report is left as it is"
        self.failed += [f"the {name} report was not written: {why}" for name in self._paths]

    def tell(self, terminal: pytest.TerminalReporter) -> None:
        """Say which files there are, and which could not be written."""
        self._github.tell(terminal)
        for note in self._notes:
            terminal.write_line(printable(note), yellow=True)
        for message in self.failed:
            terminal.write_line(printable(message), red=True)
        if self.failed:  # so that the last line is not green
            unwritten = plural(len(self.failed), "unwritten report").partition(" ")[2]
            # Plugins look into what stands here as into reports, by attributes.
            terminal.stats[unwritten] = [SimpleNamespace(message=each) for each in self.failed]
        if self.failed or terminal.config.get_verbosity() < 0:
            return
        for path in self._written:
            terminal.write_line(f"compilecheck: report written to {printable(str(path))}")
