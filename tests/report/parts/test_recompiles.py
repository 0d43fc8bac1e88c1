from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from report.values import (
    SIZE_GUARD,
    attempt,
    change,
    entry,
    fallback,
    frame,
    observation,
    recompile,
)

from pytest_compilecheck.observe.values.observation import TimelineEntry
from pytest_compilecheck.observe.values.recompile import RecompileEvent
from pytest_compilecheck.report.parts.recompiles import (
    attempts_section,
    history_text,
    labels_text,
    recompiles_section,
)
from pytest_compilecheck.report.style import plain

N = change(cause="python_value", source="n", expected="3", actual="4")


def told(
    *events: RecompileEvent, timeline: tuple[TimelineEntry, ...] = (), verbose: bool = False
) -> str:
    seen = observation(recompile_events=events, timeline=timeline)
    return plain(recompiles_section(seen.recompile_events, seen.timeline, verbose=verbose))


def test_what_one_change_rebuilt_is_one_entry_with_its_frames() -> None:
    events = (
        recompile(),
        recompile(code_object=1, function="torch_dynamo_resume_in_forward_at_12", line=12),
        recompile(call=3, guard="0/0: n == 3    # return x * n\nUser stack trace:", changes=(N,)),
    )
    timeline = (
        entry(0, "compile"),
        entry(1, "recompile", sizes={"x": (8, 129)}),
        entry(2, sizes={"x": (8, 129)}),
        entry(3, "recompile", sizes={"x": (8, 129)}),
    )
    assert told(*events, timeline=timeline) == (
        "Recompiles: what torch had assumed (a guard) did not hold any more, so it compiled"
        " again.\n"
        "\n"
        "call 1: 1 recompile (2 code objects rebuilt)\n"
        "  x.size(1): 128 -> 129  (shape, argument)\n"
        "  sizes  x=(8, 129); call 0 had x=(8, 128)\n"
        "  rebuilt  model/mlp.py:9 in forward\n"
        "  rebuilt  model/mlp.py:12 in forward\n"
        f"  guard    {SIZE_GUARD}\n"
        f"  fix      {change().cure}\n"
        "\n"
        "call 3: 1 recompile\n"
        "  n: 3 -> 4  (python_value, argument)\n"
        "  sizes  x=(8, 129), as in call 2\n"
        "  rebuilt  model/mlp.py:9 in forward\n"
        "  guard    n == 3\n"
        f"  fix      {N.cure}"
    )


def test_one_code_object_rebuilt_several_times_in_a_call_counts_each_time() -> None:
    text = told(*(recompile() for _ in range(7)))
    assert "call 1: 7 recompiles\n" in text
    assert "  rebuilt  model/mlp.py:9 in forward (7 times)\n" in text


def test_a_thing_that_changes_in_call_after_call_is_one_entry_with_its_history() -> None:
    steps = [replace(N, expected=str(n), actual=str(n + 1)) for n in range(3)]
    text = told(*(recompile(call=n + 1, changes=(step,)) for n, step in enumerate(steps)))
    assert "calls 1-3: 3 recompiles, one each\n" in text
    assert "  n: 0 -> 1 -> 2 -> 3  (python_value, argument)\n" in text
    assert text.count("rebuilt") == text.count("guard  ") == text.count("fix") == 1


def test_a_long_history_is_cut_in_the_middle() -> None:
    values = [str(n) for n in range(30)]
    assert history_text(N, values) == "n: 0 -> 1 -> 2 -> 3 -> 4 -> 5 -> ... -> 29"
    assert history_text(N, ["", ""]) == "n: changed"


def test_all_that_changed_is_named_with_a_cure_for_each_kind() -> None:
    other = change(source="y.size(1)")
    flag = change(cause="python_type", source="w", expected="None", actual="Tensor")
    text = told(recompile(changes=(change(), other, flag)))
    assert "  y.size(1): 128 -> 129  (shape, argument)\n" in text
    assert "  w: None -> Tensor  (python_type, argument)\n" in text
    cures = [line for line in text.splitlines() if line.startswith("  fix")]
    assert cures == [f"  fix      {change().cure}", f"  fix      {flag.cure}"]


@pytest.mark.parametrize(
    ("fields", "label"),
    [
        ({}, "shape, argument"),
        ({"automatic_dynamic": True}, "shape, argument, automatic dynamic"),
        ({"special": "zero_one"}, "shape, argument, 0/1 specialization"),
        ({"special": "duck_shape"}, "shape, argument, duck shaping"),
        ({"special": "static_parameter"}, "shape, argument, fixed by a Parameter"),
        ({"special": "condition"}, "shape, argument, condition in the code"),
        (
            {"special": "specialized", "fixed_at": frame()},
            "shape, argument, needed as a number in model/mlp.py:14",
        ),
    ],
)
def test_what_kind_of_change_it_is(fields: dict[str, Any], label: str) -> None:
    assert labels_text(change(**fields)) == label
    assert f"({label})" in told(recompile(changes=(change(**fields),)))


@pytest.mark.parametrize(
    "before",
    [{"region": "decoder"}, {"sizes": {}}],
    ids=["another region", "unknown sizes"],
)
def test_sizes_are_compared_with_a_call_of_the_same_region_only(before: dict[str, Any]) -> None:
    text = told(recompile(), timeline=(entry(0, **before), entry(1, "recompile")))
    assert "  sizes  x=(8, 128)\n" in text


def test_a_call_of_unknown_sizes_is_passed_over() -> None:
    timeline = (
        entry(0, "compile"),
        entry(1, sizes={}),
        entry(2, "recompile", sizes={"x": (9,)}),
        entry(3, sizes={"x": (7,)}),
    )
    text = told(recompile(call=2), timeline=timeline)
    assert "  sizes  x=(9,); call 0 had x=(8, 128)\n" in text


def test_unknown_sizes_are_left_out() -> None:
    assert "\n  sizes" not in told(recompile(), timeline=(entry(1, "recompile", sizes={}),))
    assert "\n  sizes" not in told(recompile())


def test_calls_come_in_their_order() -> None:
    text = told(
        recompile(call=3), recompile(call=1, changes=(N,)), recompile(call=3, code_object=1)
    )
    assert [line for line in text.splitlines() if line.startswith("call ")] == [
        "call 1: 1 recompile",
        "call 3: 1 recompile (2 code objects rebuilt)",
    ]


def test_a_storm_is_cut_and_verbose_tells_all_of_it() -> None:
    storm = [recompile(call=call, changes=(replace(N, source=f"n{call}"),)) for call in range(30)]
    short, long = told(*storm), told(*storm, verbose=True)
    assert "call 7: " in short
    assert "call 8: " not in short
    assert "and 22 more changes that made torch compile again" in short
    assert "call 29: " in long
    assert "more change" not in long


def test_many_functions_and_things_in_one_entry_are_cut_too() -> None:
    sizes = tuple(change(source=f"x{n}.size(1)") for n in range(9))
    events = tuple(recompile(code_object=n, line=n, changes=sizes) for n in range(1, 10))
    lines = told(*events).splitlines()
    assert "  and 5 more functions" in lines
    assert "  and 3 more things that changed with it" in lines
    assert " more " not in told(*events, verbose=True)


def test_verbose_shows_the_guards_of_all_entries() -> None:
    event = recompile(guards=("n == 4", "n == 3"))
    assert "n == 4" not in told(event)
    assert "  cached entry  n == 4\n  cached entry  n == 3\n" in told(event, verbose=True)


def test_no_event_is_no_section() -> None:
    assert told() == ""


def test_equal_attempts_share_a_line_and_say_why_they_came_to_nothing() -> None:
    attempts = (attempt(call=8), attempt(call=9), attempt(call=10), attempt(outcome="skipped"))
    assert plain(attempts_section(attempts, ())) == (
        "Rebuilds that made no graph; they do not count as recompiles:\n"
        "  calls 8-10: model/mlp.py:9 in forward\n"
        "    guard  n == 7\n"
        "    why    torch's limit of rebuilds was reached\n"
        "  call 8: model/mlp.py:9 in forward\n"
        "    guard  n == 7\n"
        "    why    torch gave the function up"
    )
    assert attempts_section((), ()) == []


def test_attempts_at_the_limit_are_left_to_its_history() -> None:
    other = attempt(function="other", outcome="user_exception")
    text = plain(attempts_section((attempt(), other), (fallback(),)))
    assert "in forward" not in text
    assert "in other" in text
    assert "in forward" in plain(attempts_section((attempt(),), (fallback(kind="disabled"),)))
