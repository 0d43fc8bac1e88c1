from __future__ import annotations

import pytest
from report.compared import comparison

from pytest_compilecheck.policies.measured import Cost, Range
from pytest_compilecheck.report.charts.costs import cost_bars, cost_lines


def test_a_line_for_each_policy_up_to_beyond_the_last_crossing() -> None:
    chart = cost_lines(comparison())
    assert chart is not None
    assert {row["policy"] for row in chart.rows["lines"]} == {"static", "dynamic", "pow2"}
    static = [row for row in chart.rows["lines"] if row["policy"] == "static"]
    assert static[0] == {"policy": "static", "requests": 1.0, "seconds": 6.1 + 0.0018}
    assert static[-1]["requests"] == pytest.approx(2 * 2636.4)
    assert static[-1]["seconds"] == pytest.approx(6.1 + 2 * 2636.4 * 0.0018)
    assert chart.rows["trace"] == [{"requests": 400}]


def test_where_the_cheapest_changes() -> None:
    chart = cost_lines(comparison())
    assert chart is not None
    (crossing,) = chart.rows["crossings"]
    assert crossing["requests"] == 2636.4
    assert crossing["seconds"] == pytest.approx(6.1 + 2636.4 * 0.0018)
    assert crossing["label"] == "static from 2,637 on"
    assert crossing["side"] == "right"
    assert chart.alt == (
        "dynamic costs the least below 2,637 requests of this mix, static from 2,637 on."
    )


def test_several_crossings_have_lanes_and_sides() -> None:
    ranges = (
        Range(policy="dynamic", from_requests=1),
        Range(policy="pow2", from_requests=3),
        Range(policy="static", from_requests=5000),
    )
    chart = cost_lines(comparison(ranges=ranges))
    assert chart is not None
    told = [(row["lane"], row["side"]) for row in chart.rows["crossings"]]
    assert told == [(0, "left"), (1, "right")]


def test_bars_add_up_to_the_cost_of_the_trace_the_cheapest_first() -> None:
    compared = comparison()
    chart = cost_bars(compared)
    assert chart is not None
    totals: dict[object, float] = {}
    for row in chart.rows["parts"]:
        totals[row["policy"]] = totals.get(row["policy"], 0.0) + float(str(row["seconds"]))
    assert list(totals) == ["dynamic", "pow2", "static"]
    assert totals == pytest.approx({cost.policy: cost.total for cost in compared.costs})


def test_padding_has_its_share_of_the_running_time() -> None:
    chart = cost_bars(comparison())
    assert chart is not None
    padding = {
        row["policy"]: row["seconds"] for row in chart.rows["parts"] if row["part"] == "padding"
    }
    assert padding == pytest.approx({"static": 0, "dynamic": 0, "pow2": 400 * 0.0024 * 400 / 1400})


def test_no_cost_is_no_chart_and_no_negative_bar() -> None:
    assert cost_lines(comparison(costs=(), ranges=())) is None
    assert cost_bars(comparison(costs=())) is None
    odd = Cost(policy="static", fixed=-0.01, per_request=0.1, total=39.99, noise=0.1)
    chart = cost_bars(comparison(costs=(odd,)))
    assert chart is not None
    assert [row["seconds"] for row in chart.rows["parts"]] == [0.0, 40.0, 0.0]
