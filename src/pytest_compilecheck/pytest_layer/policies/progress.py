"""Tells on the terminal which policy is measured, at which step it is, and how long to go."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from time import monotonic
from typing import Any

import pytest

from pytest_compilecheck.report.wording import printable


class PolicyProgress:
    """On a terminal one line that is written over, elsewhere one line for each policy; -q: none.

    A worker of xdist has no terminal, and tells nothing.
    """

    def __init__(self, config: pytest.Config, policies: Sequence[str]) -> None:
        """Take the policies in their order."""
        quiet = config.get_verbosity() < 0
        reporter = config.pluginmanager.get_plugin("terminalreporter")
        self._reporter: Any = None if quiet else reporter
        self._capture: Any = config.pluginmanager.get_plugin("capturemanager")
        self._policies = policies
        self._took: list[float] = []
        self._started = monotonic()
        self._line = ""
        if self._reporter is not None:
            with self._shown():
                self._reporter.ensure_newline()

    def begin(self) -> None:
        """The next policy is begun."""
        self._started = monotonic()
        self.heard("starting", 0, 0)

    def heard(self, phase: str, done: int, of: int) -> None:
        """The policy has come so far in a phase."""
        if self._reporter is None or not self._reporter.isatty:
            return
        step = f", {done + 1} of {of}" if of > 1 and done < of else ""
        with self._shown():  # or else it is asked of what captures
            width = self._reporter._tw.fullwidth  # pytest has no other way to ask
        # What goes on beyond the end of a line cannot be written over.
        line = self._told(f": {phase}{step}{self._to_go()}", width - 1)
        if line != self._line:
            self._line = line
            self._rewrite(line)

    def end(self, error: str) -> None:
        """The policy is measured, or could not be."""
        took = monotonic() - self._started
        came = "could not be measured" if error else "measured"
        line = self._told(f": {came} in {took:.1f} s")
        self._took.append(took)
        if self._reporter is None:
            return
        if self._reporter.isatty:
            self._rewrite(line)
            with self._shown():
                self._reporter.ensure_newline()
        else:
            with self._shown():
                self._reporter.write_line(line)

    def _told(self, what: str, width: int | None = None) -> str:
        """A line for the policy that is measured, its name cut where all would be too wide."""
        at = len(self._took)
        start = f"policy {at + 1} of {len(self._policies)}, "
        name = printable(self._policies[at])
        room = len(name) if width is None else width - len(start) - len(what)
        if len(name) > room:
            name = name[: max(0, room - 3)] + "..."
        return f"{start}{name}{what}"[:width]

    def _rewrite(self, line: str) -> None:
        with self._shown():
            self._reporter.rewrite(line, erase=True)
        # Whatever pytest says next, as when the run is interrupted, begins a line of its own.
        self._reporter.currentfspath = "policies"

    def _to_go(self) -> str:
        """How long the rest takes if each policy takes as long as those before; "" if not known."""
        if not self._took:
            return ""
        usual = sum(self._took) / len(self._took)
        others = len(self._policies) - len(self._took) - 1
        left = max(0.0, usual - (monotonic() - self._started)) + others * usual
        if left < 1:
            return ""
        return f", about {left:.0f} s to go" if left < 120 else f", about {left / 60:.0f} min to go"

    def _shown(self) -> AbstractContextManager[None]:
        """A context in which pytest does not capture what is written."""
        if self._capture is None:
            return nullcontext()
        shown: AbstractContextManager[None] = self._capture.global_and_fixture_disabled()
        return shown
