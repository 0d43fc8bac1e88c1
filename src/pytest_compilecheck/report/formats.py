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
}
