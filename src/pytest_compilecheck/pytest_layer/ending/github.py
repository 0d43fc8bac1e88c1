"""What a run leaves where GitHub Actions shows it: annotations, and the summary of the job."""

from __future__ import annotations

import os

import pytest

from pytest_compilecheck.environment import GITHUB_ACTIONS, GITHUB_STEP_SUMMARY
from pytest_compilecheck.judge.run_report import RunReport
from pytest_compilecheck.pytest_layer.settings import Settings
from pytest_compilecheck.report.ci.annotations import annotations_text
from pytest_compilecheck.report.wording import printable

LIMIT = 1024 * 1024
"""Bytes that GitHub takes as the summary of one step."""
_NO_ROOM = (
    "the summary of the job has no room for a report: --compilecheck-markdown=PATH writes it to a"
    " file"
)
_LEAST = 400
"""Bytes that the head of a report and the sentence on what is left out need."""


class GitHub:
    """Writes nothing where the environment is not that of GitHub Actions."""

    def __init__(self, settings: Settings) -> None:
        wanted = settings.annotations == "always" or (
            settings.annotations == "auto" and os.environ.get(GITHUB_ACTIONS) == "true"
        )
        self._annotates = wanted and settings.active
        self._summary = os.environ.get(GITHUB_STEP_SUMMARY, "")
        self._annotations = ""
        self._trouble = ""

    def write(self, report: RunReport) -> None:
        """Append to the job's summary, and keep what is to be printed at the end."""
        if self._annotates:
            self._annotations = annotations_text(report)
        if self._summary:
            try:
                told = _append(self._summary, report)
            except OSError as error:
                self._trouble = f"the summary of the job could not be written: {error}"
            else:
                self._trouble = "" if told else _NO_ROOM

    def tell(self, terminal: pytest.TerminalReporter) -> None:
        """Print the annotations, each on a line of its own: GitHub reads them there."""
        if self._trouble:
            terminal.write_line(f"compilecheck: {printable(self._trouble)}", yellow=True)
        terminal.ensure_newline()
        for command in filter(None, self._annotations.split("\n")):
            terminal.write_line(command)


def _append(path: str, report: RunReport) -> bool:
    """Whether there was room for at least the head of the report."""
    from pytest_compilecheck.report.ci.markdown import markdown_within

    with open(path, "ab") as file:
        before = file.tell()
        if before > LIMIT - _LEAST:
            return False
        start = "\n\n" if before else ""
        told = start + markdown_within(report, LIMIT - before - len(start))
        file.write(told.encode("utf-8", errors="backslashreplace"))
    return True
