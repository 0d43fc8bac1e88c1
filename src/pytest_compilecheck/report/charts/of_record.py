"""The charts that there are of one contract."""

from __future__ import annotations

from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.policies.measured import Comparison
from pytest_compilecheck.report.charts import calls
from pytest_compilecheck.report.charts.chart import Chart
from pytest_compilecheck.report.charts.costs import cost_bars, cost_lines
from pytest_compilecheck.report.charts.growth import device_memory, memory, variants
from pytest_compilecheck.report.charts.sizes import latency_by_size

_OF_POLICIES = (cost_lines, cost_bars, latency_by_size, variants, memory, device_memory)


def charts_of(record: ContractRecord) -> list[Chart]:
    """All of them, the calls first."""
    own = timeline_chart(record)
    compared = record.policies
    charts = [] if own is None else [own]
    return charts if compared is None else [*charts, *policy_charts(compared), *_calls(compared)]


def timeline_chart(record: ContractRecord) -> Chart | None:
    """The calls that the contract itself made; None where there were none."""
    return None if record.observed is None else calls.of_timeline(record.observed)


def policy_charts(compared: Comparison) -> list[Chart]:
    """What compares policies with each other."""
    return [chart for draw in _OF_POLICIES if (chart := draw(compared)) is not None]


def _calls(compared: Comparison) -> list[Chart]:
    return [chart for run in compared.runs if (chart := calls.of_policy(run)) is not None]
