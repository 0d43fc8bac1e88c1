"""Places of a report as SARIF has them: percent-encoded paths, regions, chains; and messages."""

from __future__ import annotations

from functools import lru_cache
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from pytest_compilecheck.judge.run_report import Layout
from pytest_compilecheck.report.ci.alerts import Alert, Spot
from pytest_compilecheck.report.ci.repository import repository_path
from pytest_compilecheck.report.wording import function_name, printable


def location(alert: Alert, layout: Layout) -> dict[str, Any]:
    """Where a result stands: in the project's own code, else in the file of the test."""
    if alert.own is None:
        return _location(Spot(file=alert.test_file, line=1), layout, "")
    return _location(alert.own, layout, alert.finding.function if alert.own == alert.spot else "")


def flow(alert: Alert, layout: Layout) -> dict[str, Any]:
    """The callers from the outermost on, and what breaks at their end."""
    steps = [
        _location(Spot(file=frame.file, line=frame.line), layout, frame.function)
        for frame in alert.chain
    ]
    if alert.spot is not None:
        steps.append(_location(alert.spot, layout, alert.finding.function))
    return {"threadFlows": [{"locations": [{"location": step} for step in steps]}]}


@lru_cache(maxsize=4096)  # contracts of one model name the same lines again and again
def _location(spot: Spot, layout: Layout, function: str) -> dict[str, Any]:
    physical = {"artifactLocation": _artifact(spot.file, layout), "region": _region(spot)}
    found: dict[str, Any] = {"physicalLocation": physical}
    if function:
        found["logicalLocations"] = [{"name": function_name(function), "kind": "function"}]
        found["message"] = message(f"in {function_name(function)}")
    return found


def message(text: str) -> dict[str, str]:
    """A message that is shown as it is: no placeholder, no link.

    SARIF 2.1.0, 3.11.5: braces stand for arguments; 3.11.6: "[a](b)" would be a link.
    """
    return {"text": text.replace("{", "{{").replace("}", "}}").replace("](", "] (")}


@lru_cache(maxsize=4096)  # a large report names the same files again and again
def _artifact(file: str, layout: Layout) -> dict[str, str]:
    """A path of the checkout is relative to it, another one a URI of its own."""
    inside = repository_path(file, layout)
    if inside is not None:
        return {"uri": _quoted(inside), "uriBaseId": "SRCROOT"}
    path = PurePath(file)
    return (
        {"uri": f"file://{_quoted(path.as_posix())}"}
        if path.is_absolute()
        else {"uri": _quoted(path.as_posix())}
    )


def _quoted(path: str) -> str:
    return quote(path.encode("utf-8", errors="surrogatepass"))


def _region(spot: Spot) -> dict[str, Any]:
    region: dict[str, Any] = {"startLine": spot.line}
    if spot.column is not None:
        region["startColumn"] = spot.column
        if spot.end_column is not None and spot.end_column > spot.column:
            region |= {"endLine": spot.line, "endColumn": spot.end_column}
    if spot.code:
        region["snippet"] = {"text": printable(spot.code)}
    return region
