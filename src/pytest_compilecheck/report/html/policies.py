"""The comparison of shape policies of one contract, as the page shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_compilecheck.policies.measured import Comparison, PolicyRun
from pytest_compilecheck.report.charts.calls import of_policy
from pytest_compilecheck.report.charts.chart import Chart
from pytest_compilecheck.report.charts.of_record import policy_charts
from pytest_compilecheck.report.html.table import Table
from pytest_compilecheck.report.policies.table import (
    call_columns,
    policy_columns,
    step_columns,
    warm_columns,
)
from pytest_compilecheck.report.policies.verdict import choice_text, left_out_text, ranges_text
from pytest_compilecheck.report.wording import plural, printable


@dataclass(frozen=True, slots=True, kw_only=True)
class RunView:
    """The replay under one policy."""

    policy: str
    chart: Chart | None
    calls: Table


@dataclass(frozen=True, slots=True, kw_only=True)
class PoliciesView:
    """The comparison: sentences, charts, tables, and each replay by itself."""

    sentences: Sequence[str]
    charts: Sequence[Chart]
    tables: Sequence[Table]
    runs: Sequence[RunView]


def policies_view(compared: Comparison) -> PoliciesView:
    """What there is to say of a comparison."""
    measured = (
        f"{plural(compared.requests, 'request')}, backend {printable(compared.backend)},"
        f" on {printable(compared.device)}"
    )
    tables = [
        Table.of_columns(f"Policies over {measured}", policy_columns(compared)),
        Table.of_columns("Warm latency of each step", warm_columns(compared.runs)),
        Table.of_columns("Memory that stayed", step_columns(compared.runs)),
    ]
    return PoliciesView(
        sentences=[
            each
            for each in (choice_text(compared), ranges_text(compared), *left_out_text(compared))
            if each
        ],
        charts=policy_charts(compared),
        tables=[table for table in tables if table.rows],
        runs=[_run(run) for run in compared.runs if run.calls],
    )


def _run(run: PolicyRun) -> RunView:
    calls = Table.of_columns(f"Calls under {run.policy}", call_columns(run))
    return RunView(policy=run.policy, chart=of_policy(run), calls=calls)
