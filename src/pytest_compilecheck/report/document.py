"""The JSON report: one document, with a version and a published schema."""

from __future__ import annotations

import importlib.resources
import json
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from pytest_compilecheck.codec_check import MismatchError, check
from pytest_compilecheck.contract.bounded import read_bounded
from pytest_compilecheck.contract.faults import did_you_mean
from pytest_compilecheck.contract.plain import shown
from pytest_compilecheck.judge.run_report import SCHEMA, RunReport
from pytest_compilecheck.report.json_rows import encoded, rows
from pytest_compilecheck.report.wording import printable

MOST_BYTES: Final = 500_000_000
"""What a report may have: one of 10,000 contracts has some 30 million."""


class ReportError(Exception):
    """A file is no report; the message says which, why, and what to do."""

    def __init__(self, message: str) -> None:
        """Take the message."""
        super().__init__(printable(message))


def json_text(report: RunReport) -> str:
    """The report as JSON, each contract and each audited test on a line of its own.

    Raises:
        ValueError: a number is not finite, which JSON cannot carry.
    """
    return "".join(_pieces(report))


def _pieces(report: RunReport) -> Iterator[str]:
    entries = {"contracts": report.contracts_by_id, "audit": report.audit_by_id}
    # Only what is small is made as a whole: the data of thousands of contracts is not.
    head = replace(report, contracts=(), audit=None).to_dict()
    del head["contracts"]
    yield "{\n " + ",\n ".join(f"{encoded(key)}: {encoded(value)}" for key, value in head.items())
    for name, each in entries.items():
        if each is not None:
            yield f",\n {encoded(name)}: "
            yield from rows((entry.to_dict() for entry in each), " ")
    yield "\n}\n"


def read_report(path: Path) -> RunReport:
    """The report in a file that a run has written.

    Raises:
        ReportError: the file cannot be read, or is no report of this version.
    """
    try:
        data = json.loads(
            read_bounded(path, MOST_BYTES).decode(),
            parse_constant=_finite,
            parse_float=_finite,
        )
    except OSError as error:
        raise ReportError(f"{path} cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        raise ReportError(f"{path} cannot be read: {error}") from error
    except RecursionError as error:
        raise ReportError(f"{path} cannot be read: it is nested too deeply") from error
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        other = data.get("schema") if isinstance(data, dict) else None
        found = f", but of {shown(other)}, which the release that wrote it reads" if other else ""
        raise ReportError(
            f"{path} is no report of this version ({SCHEMA}){found}: write one with"
            " pytest --compilecheck --compilecheck-json=PATH"
        )
    try:
        check(RunReport, data)
        return RunReport.from_dict(data)
    except (MismatchError, KeyError, TypeError, AttributeError) as error:
        kind = "" if isinstance(error, MismatchError) else f"{type(error).__name__}: "
        raise ReportError(
            f"{path} is a damaged report or one of a newer release, which a new run writes anew:"
            f" {kind}{error}"
        ) from error


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"it holds {text[:30]}, which is no number of JSON, or too large")
    return number


def only(report: RunReport, name: str) -> RunReport:
    """The report of one contract alone, by its id or what a report calls it.

    Raises:
        ReportError: there is none of that name, or several: an id has several parts.
    """
    found = [each for each in report.contracts if name in (each.id, each.unit, each.name)]
    exact = [each for each in found if name == each.name] or found
    if len(exact) != 1:
        names = sorted(each.name for each in exact or report.contracts)
        why = "several contracts are" if exact else "no contract is"
        hint = did_you_mean(name, names) if not exact else f": name one of {', '.join(names)}"
        raise ReportError(f"{why} called {name!r}{hint}")
    return replace(report, contracts=tuple(exact), audit=None)


def schema() -> dict[str, Any]:
    """The published JSON Schema of the document (draft 2020-12)."""
    package = importlib.resources.files("pytest_compilecheck.report")
    text = (package / "schema" / "report-1.json").read_text(encoding="utf-8")
    data: dict[str, Any] = json.loads(text)
    return data
