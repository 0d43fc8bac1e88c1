from __future__ import annotations

import pytest
from report.compared import dynamic_run, policy_run, replay_call
from report.values import change, entry, fallback, observation, recompile

from pytest_compilecheck.report.charts.calls import of_policy, of_timeline
from pytest_compilecheck.report.charts.chart import Chart


def drawn(**fields: object) -> Chart:
    chart = of_timeline(observation(**fields))
    assert chart is not None
    return chart


def test_each_call_with_its_kind_time_and_cause() -> None:
    chart = drawn(
        timeline=(
            entry(0, "compile", seconds=2.0),
            entry(1, "recompile", seconds=1.0),
            entry(2, "fallback", seconds=0.5),
            entry(3, "error", seconds=0.25, error="ValueError: no"),
            entry(4, seconds=0.001),
        ),
        recompile_events=(recompile(), recompile(changes=(change(source="later"),))),
        fallbacks=(fallback(calls=(2,)),),
    )
    told = [(row["call"], row["kind"], row["seconds"], row["why"]) for row in chart.rows["calls"]]
    assert told == [
        (0, "compile", 2.0, "first compile"),
        (1, "recompile", 1.0, "x.size(1): 128 -> 129"),
        (2, "fallback", 0.5, "torch's limit of rebuilds is reached"),
        (3, "error", 0.25, "ValueError: no"),
        (4, "hit", 0.001, ""),
    ]
    assert chart.alt == (
        "5 calls: 1 error, 1 recompile, 1 compile, 1 fallback, 1 hit. The slowest is call 0 with"
        " 2 s (first compile)."
    )


def test_the_calls_of_a_policy_have_the_mechanisms_that_were_found() -> None:
    chart = of_policy(dynamic_run())
    assert chart is not None
    assert chart.title == "Latency of each call: dynamic"
    causes = {row["call"]: row["why"] for row in chart.rows["calls"] if row["why"]}
    assert causes == {0: "first compile", 7: "garbage collection: a full collection"}
    assert of_policy(policy_run(calls=())) is None


def test_labels_stand_above_all_calls_each_in_its_lane_and_inwards() -> None:
    chart = of_policy(policy_run())
    assert chart is not None
    labels = chart.rows["labels"]
    slowest = max(float(str(row["seconds"])) for row in chart.rows["calls"])
    lanes = [float(str(row["lane"])) for row in labels]
    assert [row["call"] for row in labels] == [0, 1, 2, 3, 4, 5]
    assert lanes == sorted(lanes, reverse=True)
    assert len(set(lanes)) == 6
    assert min(lanes) > slowest
    assert {row["side"] for row in labels} == {"left"}


def test_on_the_right_later_labels_are_higher() -> None:
    calls = [replay_call(call) for call in range(10)]
    calls[7] = replay_call(7, seconds=0.2, mechanism="garbage")
    calls[9] = replay_call(9, seconds=0.1, mechanism="allocator")
    chart = of_policy(policy_run(calls=tuple(calls)))
    assert chart is not None
    assert [(row["call"], row["side"]) for row in chart.rows["labels"]] == [
        (9, "right"),
        (7, "right"),
    ]


def test_one_cause_has_one_label_and_long_ones_are_cut() -> None:
    calls = tuple(
        replay_call(call, seconds=call + 1, mechanism="rebuild", detail="x" * 99)
        for call in range(4)
    )
    chart = of_policy(policy_run(calls=calls))
    assert chart is not None
    (label,) = chart.rows["labels"]
    assert label["call"] == 3
    assert len(str(label["label"])) == 36


def test_no_time_at_all_can_be_drawn_on_a_logarithmic_axis() -> None:
    chart = drawn(timeline=(entry(0, "compile", seconds=0.0),))
    assert chart.rows["calls"][0]["seconds"] == pytest.approx(1e-6)
    assert float(str(chart.rows["labels"][0]["lane"])) > 1e-6


def test_of_thousands_of_warm_calls_some_are_drawn_and_every_slow_one() -> None:
    slow = 4321
    timeline = tuple(entry(call, "recompile" if call == slow else "hit") for call in range(5000))
    chart = drawn(timeline=timeline, recompile_events=(recompile(call=slow),))
    calls = [row["call"] for row in chart.rows["calls"]]
    assert slow in calls
    assert len(calls) <= 1501
    assert chart.title == f"Latency of each call; {5000 - len(calls)} warm calls not drawn"
