"""The formats that a report can be written in, by name; each is imported when it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Final, NamedTuple

from pytest_compilecheck.judge.run_report import RunReport

Renderer = Callable[[RunReport], str]
"""Turns a report into the text of a file."""


class Format(NamedTuple):
    """A format: what it is for, and where its renderer is ("module:function")."""

    about: str
    renderer: str

    def render(self, report: RunReport) -> str:
        """The text of a file."""
        module, _, function = self.renderer.partition(":")
        render: Renderer = getattr(import_module(module), function)
        return render(report)


FORMATS: Final = {
    "json": Format(
        "all that was seen, by the published schema", f"{__package__}.document:json_text"
    ),
    "markdown": Format(
        "for a pull request or the summary of a CI job", f"{__package__}.markdown:markdown_text"
    ),
    "github": Format(
        "GitHub's annotations: workflow commands for a step to print",
        f"{__package__}.annotations:annotations_text",
    ),
    "sarif": Format("SARIF 2.1.0, for code scanning", f"{__package__}.sarif:sarif_text"),
    "junit": Format("JUnit XML, a test case for each contract", f"{__package__}.junit:junit_text"),
}
