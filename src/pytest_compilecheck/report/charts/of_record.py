"""The charts that there are of one contract."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.policies.measured import Comparison
from pytest_compilecheck.report.charts import calls, costs, growth, sizes
from pytest_compilecheck.report.charts.chart import Chart, Spec

SPECS: Final[Mapping[str, Spec]] = {
    "calls": calls.SPEC,
    "cost-lines": costs.LINES,
    "cost-bars": costs.BARS,
    "sizes": sizes.SPEC,
    "variants": growth.VARIANTS,
    "memory": growth.MEMORY,
}
"""The specification of each kind of chart."""

_OF_POLICIES = (
    costs.cost_lines,
    costs.cost_bars,
    sizes.latency_by_size,
    growth.variants,
    growth.memory,
    growth.device_memory,
)


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
