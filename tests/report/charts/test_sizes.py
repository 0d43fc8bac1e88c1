from __future__ import annotations

from report.compared import comparison, policy_run, warm

from pytest_compilecheck.report.charts.sizes import latency_by_size


def test_median_and_quartiles_of_each_step() -> None:
    run = policy_run(warm=(warm(0, 0.002), warm(1, 0.0, sizes={}, stable=False)))
    chart = latency_by_size(comparison(runs=(run,)))
    assert chart is not None
    first, second = chart.rows["steps"]
    assert first == {
        "policy": "static",
        "sizes": "x=(8, 128)",
        "median": 0.002,
        "low": 0.002 * 0.9,
        "high": 0.002 * 1.2,
        "repeats": 2,
        "stable": "yes",
    }
    assert (second["sizes"], second["median"], second["stable"]) == ("step 1", 1e-6, "no")
    assert chart.alt == (
        "Median and quartiles of 2 steps under each policy. 1 median did not settle."
    )


def test_without_warm_runs_there_is_none() -> None:
    assert latency_by_size(comparison(runs=(policy_run(warm=()),))) is None
