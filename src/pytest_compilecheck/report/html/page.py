"""The HTML report, made of templates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from pytest_compilecheck.judge.run_report import RunReport
from pytest_compilecheck.report.accepted import COLUMNS, OVERLAP, accepted_rows, overlap
from pytest_compilecheck.report.aside import aside_lines
from pytest_compilecheck.report.audit import audit_lines
from pytest_compilecheck.report.charts.chart import CONFIG
from pytest_compilecheck.report.charts.draw import NEEDED, can_draw, library
from pytest_compilecheck.report.charts.of_record import SPECS
from pytest_compilecheck.report.html.contract import (
    SUMMARY,
    ContractView,
    contract_view,
    summary_row,
)
from pytest_compilecheck.report.html.data import content_policy, json_data, script_text
from pytest_compilecheck.report.html.lines import html_lines
from pytest_compilecheck.report.html.table import Table
from pytest_compilecheck.report.incomplete import incomplete_report_text
from pytest_compilecheck.report.outcome_reason import outcome_reasons
from pytest_compilecheck.report.run_words import run_title, versions_text
from pytest_compilecheck.report.style import Span, line
from pytest_compilecheck.report.top import outcomes_of, worst_first
from pytest_compilecheck.report.wording import printable

if TYPE_CHECKING:
    from jinja2 import Environment

_PACKAGE = "pytest_compilecheck.report.html"


def html_text(report: RunReport) -> str:
    """The report as one HTML page that needs nothing beside itself.

    Without vl-convert-python it has no charts, and says so; the tables have the same figures.
    """
    has_charts = can_draw()
    draws = script_text(library()) if has_charts else Markup()
    style = Markup(_asset("page.css"))  # noqa: S704 - it is our own
    acts = script_text(_asset("page.js"))
    ordered = worst_first(report.contracts)
    page = _environment().get_template("page.html")
    return page.render(
        title=run_title(report.contracts),
        policy=content_policy([draws, acts], style),
        style=style,
        library=draws,
        script=acts,
        specs=json_data({"specs": SPECS, "config": CONFIG}),
        has_charts=has_charts,
        needed=NEEDED,
        outcomes=outcomes_of(report.contracts),
        versions=versions_text(report),
        packages=_packages(report),
        unfinished="" if report.complete else incomplete_report_text(report, verbose=True),
        left_out=sorted(report.left_out),
        unwatched=sorted(report.unwatched),
        columns=SUMMARY,
        rows=map(summary_row, ordered),
        contracts=_views(report),
        json_data=json_data,
        accepted=_accepted(report),
        overlap=OVERLAP if overlap(report.contracts) else "",
        notes=_notes(report),
        audit=None if report.audit is None else html_lines(audit_lines(report.audit, top=0)),
    )


def _views(report: RunReport) -> Iterator[ContractView]:
    for record in worst_first(report.contracts):
        yield contract_view(record, root=report.layout.root)


def _accepted(report: RunReport) -> Table | None:
    rows = accepted_rows(report.contracts_by_id)
    return Table("What exceptions excuse, and why", COLUMNS, rows) if rows else None


def _notes(report: RunReport) -> Markup:
    records = report.contracts_by_id
    reasons = [line("  ", told) for told in outcome_reasons(records)]
    asides = (each for record in records for each in aside_lines(record))
    return html_lines([*reasons, *(line("  ", Span(*each)) for each in asides)])


def _packages(report: RunReport) -> Mapping[str, str]:
    """The versions of each package whose code ran."""
    found: dict[str, set[str]] = {}
    for record in report.contracts:
        for name, version in record.packages.items():
            found.setdefault(name, set()).add(version)
    return {name: ", ".join(sorted(found[name])) for name in sorted(found)}


def _asset(name: str) -> str:
    return (files(_PACKAGE) / "templates" / name).read_text("utf-8")


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader(_PACKAGE),
        autoescape=True,
        finalize=_shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _shown(value: Any) -> Any:
    """What a template shows of a value: of text nothing that steers; HTML stays as it is."""
    return printable(value) if type(value) is str else value
