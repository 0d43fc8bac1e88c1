"""The formats that a report can be written in, by name; each is imported when it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Final, NamedTuple

from pytest_compilecheck.judge.run_report import RunReport

Renderer = Callable[[RunReport], str]
"""Turns a report into the text of a file."""


class Format(NamedTuple):
    """A format: what it is for, and its renderer, or where that is ("module:function")."""

    about: str
    renderer: str | Renderer

    def render(self, report: RunReport) -> str:
        """The text of a file.

        Raises:
            TypeError: the renderer gives something else.
            Exception: whatever it raises.
        """
        render = self.renderer
        if isinstance(render, str):
            module, _, function = render.partition(":")
            render = getattr(import_module(module), function)
        text: object = render(report)
        if not isinstance(text, str):
            raise TypeError(f"the renderer gave a {type(text).__name__}, and no text")
        return text


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
