"""How pytest shows a broken contract: failure text, short summary line, --tb=line."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import pytest

from pytest_compilecheck.judge.counted import new_recompiles, new_sites
from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.observe.values.observation import Observation
from pytest_compilecheck.report.failure import failure_lines, rerun_command
from pytest_compilecheck.report.observed import observation_lines
from pytest_compilecheck.report.style import MARKUP, Line, plain
from pytest_compilecheck.report.summary_line import headline
from pytest_compilecheck.report.wording import printable


@dataclass(frozen=True, slots=True)
class Crash:
    """Where pytest says that it happened: the line of the model that breaks, if one does."""

    path: str
    lineno: int
    message: str

    def __str__(self) -> str:
        return printable(f"{self.path}:{self.lineno}: {self.message}")


class ViolationReport:
    """A `longrepr` for a test report."""

    def __init__(self, record: ContractRecord, config: pytest.Config) -> None:
        root = str(config.rootpath)
        self._lines = failure_lines(
            record,
            root=root,
            verbosity=_verbosity(config),
            rerun=rerun_command(_typed(record.id, config), _options(config)),
        )
        self.reprcrash = _crash(record, root)

    def toterminal(self, tw: Any) -> None:
        """Write the failure with pytest's colours."""
        write_lines(tw, self._lines)

    def __str__(self) -> str:
        return plain(self._lines)


def write_lines(tw: Any, lines: list[Line]) -> None:
    """Write lines to a TerminalWriter, each span as its meaning asks."""
    for spans in lines:
        for span in spans:
            tw.write(printable(span.text), **MARKUP[span.meaning])
        tw.line()


def seen_text(observation: Observation, root: str) -> str:
    """What was seen, as plain text for a section of a report."""
    return plain(observation_lines(observation, root=root))


def _typed(nodeid: str, config: pytest.Config) -> str:
    """A node id as a person in the current directory must type it."""
    path, separator, rest = nodeid.partition("::")
    if config.invocation_params.dir != config.rootpath:
        path = os.path.relpath(config.rootpath / path, config.invocation_params.dir)
    return f"{path}{separator}{rest}"


def _options(config: pytest.Config) -> list[str]:
    """What the command line says of how contracts are held, and no file does."""
    named = ("--compilecheck-backend", "--compilecheck-baseline")
    given = ((name, config.getoption(name.lstrip("-").replace("-", "_"))) for name in named)
    return [f"{name}={value}" for name, value in given if value is not None]


def _verbosity(config: pytest.Config) -> int:
    """How much a failure says, by -q and -v; --tb=line asks for as little as -q."""
    return -1 if config.getoption("tbstyle", "auto") == "line" else config.get_verbosity()


def _crash(record: ContractRecord, root: str) -> Crash:
    message = headline(record)
    sites, events = new_sites(record), new_recompiles(record)
    if sites and any(v.bound == "max_graph_breaks" for v in record.verdict.violations):
        return Crash(os.path.join(root, sites[0].file), sites[0].line, message)
    if events and any("recompiles" in v.bound for v in record.verdict.violations):
        return Crash(os.path.join(root, events[0].file), events[0].line, message)
    return Crash(os.path.join(root, record.id.split("::")[0]), 1, message)
