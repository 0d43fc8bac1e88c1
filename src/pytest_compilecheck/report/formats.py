"""The formats that a report can be written in, by name; each is imported when it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Final, NamedTuple

from pytest_compilecheck.judge.run_report import RunReport

Renderer = Callable[[RunReport], str | bytes]
"""Turns a report into what a file holds: text, or bytes of an image."""


class Format(NamedTuple):
    """A format: what it is for, and its renderer, or where that is ("module:function")."""

    about: str
    renderer: str | Renderer

    def render(self, report: RunReport) -> str | bytes:
        """What a file holds.

        Raises:
            TypeError: the renderer gives something else.
            Exception: whatever it raises.
        """
        render = self.renderer
        if isinstance(render, str):
            module, _, function = render.partition(":")
            render = getattr(import_module(module), function)
        told: object = render(report)
        if not isinstance(told, (str, bytes)):
            raise TypeError(f"the renderer gave a {type(told).__name__}, and no text or bytes")
        return told


_CI = f"{__package__}.ci"
_DRAW = f"{__package__}.charts.draw"

FORMATS: Final = {
    "json": Format(
        "all that was seen, by the published schema", f"{__package__}.document:json_text"
    ),
    "markdown": Format(
        "for a pull request or the summary of a CI job", f"{_CI}.markdown:markdown_text"
    ),
    "github": Format(
        "GitHub's annotations: workflow commands for a step to print",
        f"{_CI}.annotations:annotations_text",
    ),
    "sarif": Format("SARIF 2.1.0, for code scanning", f"{_CI}.sarif:sarif_text"),
    "junit": Format("JUnit XML, a test case for each contract", f"{_CI}.junit:junit_text"),
    "html": Format("one page with charts, for a browser", f"{__package__}.html.page:html_text"),
    "svg": Format("the charts of one contract", f"{_DRAW}:svg_text"),
    "png": Format("the same as pixels", f"{_DRAW}:png_bytes"),
    "pdf": Format("the same, for a paper", f"{_DRAW}:pdf_bytes"),
}
