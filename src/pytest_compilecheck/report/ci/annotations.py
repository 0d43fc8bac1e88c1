"""GitHub's annotations: workflow commands that a step prints, on the lines that break."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal

from pytest_compilecheck.judge.run_report import Layout, RunReport
from pytest_compilecheck.report.ci.alerts import Alert, Spot, alerts, rank
from pytest_compilecheck.report.ci.repository import repository_path
from pytest_compilecheck.report.style import plain
from pytest_compilecheck.report.top import worst_first
from pytest_compilecheck.report.wording import plural, printable, printable_lines

SHOWN: Final = 10
"""How many annotations of each kind GitHub shows for one step."""

_Command = Literal["error", "warning", "notice"]


def annotations_text(report: RunReport) -> str:
    """One workflow command a line: the worst errors, the worst warnings, a notice of the rest."""
    lines, hidden = [], []
    commands: tuple[Literal["error", "warning"], ...] = ("error", "warning")
    for command in commands:
        found = _by_place(report, command)
        lines += [_told(command, place, same) for place, same in list(found.items())[:SHOWN]]
        if len(found) > SHOWN:
            hidden.append(plural(len(found) - SHOWN, f"more {command}"))
    if hidden:
        lines.append(_command("notice", {"title": "compilecheck"}, _rest_text(hidden)))
    return "".join(f"{each}\n" for each in lines)


def _rest_text(hidden: Iterable[str]) -> str:
    return (
        f"{' and '.join(hidden)} of compile contracts: GitHub shows {SHOWN} of each kind for a"
        " step. The log has the rest."
    )


_Place = tuple[tuple[str, Spot | None], str]
"""A file of the repository with the place in it, and the title."""


def _by_place(report: RunReport, level: Literal["error", "warning"]) -> dict[_Place, list[Alert]]:
    """Alerts by place and title, the worst first: contracts that break at one line are one."""
    found: dict[_Place, list[Alert]] = {}
    for record in worst_first(report.contracts):
        for alert in alerts(record):
            if alert.level == level:
                found.setdefault((_where(alert, report.layout), alert.title), []).append(alert)
    return dict(sorted(found.items(), key=lambda item: (-len(item[1]), rank(item[1][0]))))


def _where(alert: Alert, layout: Layout) -> tuple[str, Spot | None]:
    """Where GitHub can show an alert: at its own line, else at the file of its test."""
    path = repository_path(alert.own.file, layout) if alert.own else None
    if path is not None:
        return path, alert.own
    return repository_path(alert.test_file, layout) or alert.test_file, None


def _told(command: _Command, place: _Place, same: Sequence[Alert]) -> str:
    (path, spot), title = place
    first = same[0]
    more = f", and {plural(len(same) - 1, 'more contract')}" if len(same) > 1 else ""
    elsewhere = _elsewhere(first)
    message = [f"{printable(first.finding.contract)}{more}", *elsewhere, plain(first.facts)]
    properties: dict[str, str | int] = {"file": path, **_columns(spot), "title": title}
    return _command(command, properties, "\n".join(filter(None, message)))


def _elsewhere(alert: Alert) -> list[str]:
    """Where it is, if the annotation cannot stand there."""
    if alert.spot is None or alert.own == alert.spot:
        return []
    return [f"at {printable(alert.spot.file)}:{alert.spot.line}"]


def _columns(spot: Spot | None) -> dict[str, int]:
    if spot is None:
        return {"line": 1}
    columns = {"line": spot.line}
    if spot.column is not None:
        columns["col"] = spot.column
        if spot.end_column is not None and spot.end_column > spot.column:
            columns |= {"endLine": spot.line, "endColumn": spot.end_column}
    return columns


def _command(name: _Command, properties: Mapping[str, str | int], message: str) -> str:
    told = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items())
    return f"::{name} {told}::{_data(printable_lines(message))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(printable(text)).replace(":", "%3A").replace(",", "%2C")
