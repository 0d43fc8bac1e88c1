from __future__ import annotations

from report.compared import MB, comparison, policy_run, replay_call

from pytest_compilecheck.policies.measured import MemoryStep
from pytest_compilecheck.report.charts.growth import device_memory, memory, variants


def test_compilations_add_up() -> None:
    chart = variants(comparison())
    assert chart is not None
    static = [row["value"] for row in chart.rows["calls"] if row["policy"] == "static"]
    dynamic = [row["value"] for row in chart.rows["calls"] if row["policy"] == "dynamic"]
    assert static == [1, 2, 3, 4, 5, 6, 6, 6, 6, 6, 6, 6]
    assert dynamic == [1] * 12
    assert chart.alt == "Compiled versions at the end, by policy: static: 6; dynamic: 1; pow2: 4."


def test_memory_after_each_call_and_the_steps_that_stayed() -> None:
    steps = (
        MemoryStep(call=0, bytes=10 * MB, mechanism="first_compile"),
        MemoryStep(call=1, bytes=40 * MB, mechanism="rebuild", detail="S: 128 -> 129"),
    )
    chart = memory(comparison(runs=(policy_run(memory_steps=steps),)))
    assert chart is not None
    assert chart.rows["calls"][0] == {"call": 0, "value": 500.0, "policy": "static"}
    assert [(row["call"], row["value"], row["why"]) for row in chart.rows["steps"]] == [
        (0, 500.0, "first compile, 10 MB"),
        (1, 501.0, "rebuild: S: 128 -> 129, 40 MB"),
    ]
    assert [row["label"] for row in chart.rows["steps"]] == ["", "+40 MB rebuild: S: 128 -> 129"]
    assert chart.alt == "static: 500 MB after the first call, 511 MB at the end."


def test_of_labels_at_one_call_the_larger_is_shown() -> None:
    small = policy_run(memory_steps=(MemoryStep(call=0, bytes=MB, mechanism="first_compile"),))
    step = MemoryStep(call=0, bytes=2 * MB, mechanism="first_compile")
    chart = memory(comparison(runs=(small, policy_run("auto", memory_steps=(step,)))))
    assert chart is not None
    assert [row["label"] for row in chart.rows["steps"]] == ["", "+2 MB first compile"]


def test_what_is_not_known_is_not_drawn() -> None:
    unknown = tuple(replay_call(call, memory=None) for call in range(3))
    step = MemoryStep(call=1, bytes=MB, mechanism="unexplained")
    run = policy_run(calls=unknown, memory_steps=(step,))
    assert memory(comparison(runs=(run,))) is None
    assert device_memory(comparison()) is None
    chart = memory(comparison(runs=(run, policy_run("auto"))))
    assert chart is not None
    assert {row["policy"] for row in chart.rows["calls"]} == {"auto"}
    assert {row["policy"] for row in chart.rows["steps"]} == {"auto"}
    assert variants(comparison(runs=())) is None


def test_a_device_has_a_chart_of_its_own() -> None:
    calls = tuple(replay_call(call, device_memory=call * MB) for call in range(3))
    chart = device_memory(comparison(runs=(policy_run(calls=calls),)))
    assert chart is not None
    assert chart.title == "Memory of the device after each call"
    assert [row["value"] for row in chart.rows["calls"]] == [0.0, 1.0, 2.0]
    assert chart.rows["steps"] == []
