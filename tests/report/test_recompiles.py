from __future__ import annotations

from typing import Any

import pytest

from pytest_compilecheck.observe.observation import TimelineEntry
from pytest_compilecheck.observe.recompile import RecompileEvent
from pytest_compilecheck.report.recompiles import attempts_section, recompiles_section
from pytest_compilecheck.report.style import plain
from report.values import SIZE_GUARD, attempt, entry, observation, recompile

SIZE_CURE = "torch._dynamo.mark_dynamic"
VALUE_CURE = "keep what the guard names the same"


def told(
    *events: RecompileEvent, timeline: tuple[TimelineEntry, ...] = (), verbose: bool = False
) -> str:
    seen = observation(recompile_events=events, timeline=timeline)
    return plain(recompiles_section(seen.recompile_events, seen.timeline, verbose=verbose))


def test_events_are_folded_by_call_with_sizes_and_guards() -> None:
    events = (
        recompile(),
        recompile(code_object=1, function="torch_dynamo_resume_in_forward_at_12", line=12),
        recompile(call=3, guard="0/0: n == 3    # return x * n\nUser stack trace:"),
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
        "  sizes  x=(8, 129); call 0 had x=(8, 128)\n"
        "  model/mlp.py:9 in forward\n"
        f"    guard that failed  {SIZE_GUARD}\n"
        "  model/mlp.py:12 in forward\n"
        f"    guard that failed  {SIZE_GUARD}\n"
        "\n"
        "call 3: 1 recompile\n"
        "  sizes  x=(8, 129), as in call 2\n"
        "  model/mlp.py:9 in forward\n"
        "    guard that failed  n == 3\n"
        "\n"
        "fix  if this size must change, max_recompiles=1 accepts the one rebuild in which torch"
        " makes it dynamic; dynamic=True, or torch._dynamo.mark_dynamic(tensor, dim) in your code,"
        " spares it\n"
        "fix  keep what the guard names the same in all calls, or pass what must change as a tensor"
    )


def test_one_code_object_rebuilt_several_times_in_a_call_counts_each_time() -> None:
    text = told(*(recompile() for _ in range(7)))
    assert "call 1: 7 recompiles\n" in text
    assert "  model/mlp.py:9 in forward (7 times)\n" in text


@pytest.mark.parametrize(
    ("guard", "cures"),
    [
        (SIZE_GUARD, [SIZE_CURE]),
        ("2 <= x.size()[0]", [SIZE_CURE]),
        ("n == 3", [VALUE_CURE]),
    ],
)
def test_the_cure_fits_the_guard(guard: str, cures: list[str]) -> None:
    text = told(recompile(guard=guard))
    assert [cure for cure in (SIZE_CURE, VALUE_CURE) if cure in text] == cures


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
    assert "sizes" not in told(recompile(), timeline=(entry(1, "recompile", sizes={}),))
    assert "sizes" not in told(recompile())


def test_calls_come_in_their_order() -> None:
    text = told(recompile(call=3), recompile(call=1), recompile(call=3, code_object=1))
    assert [line for line in text.splitlines() if line.startswith("call ")] == [
        "call 1: 1 recompile",
        "call 3: 1 recompile (2 code objects rebuilt)",
    ]


def test_a_storm_is_cut_and_verbose_tells_all_of_it() -> None:
    storm = tuple(recompile(call=call, guard=f"n == {call}") for call in range(30))
    short, long = told(*storm), told(*storm, verbose=True)
    assert "call 7: " in short
    assert "call 8: " not in short
    assert "and 22 more calls that recompiled" in short
    assert "call 29: " in long
    assert "more call" not in long


def test_many_guards_in_one_call_are_cut_too() -> None:
    events = tuple(recompile(code_object=n, line=n) for n in range(1, 10))
    assert "  and 5 more in this call" in told(*events).splitlines()
    assert "more in this call" not in told(*events, verbose=True)


def test_verbose_shows_the_guards_of_all_entries() -> None:
    event = recompile(guards=("0/1: n == 4", "0/0: n == 3"))
    assert "n == 4" not in told(event)
    assert "    cached entry       0/1: n == 4\n    cached entry       0/0: n == 3\n" in told(
        event, verbose=True
    )


def test_no_event_is_no_section() -> None:
    assert told() == ""


def test_equal_attempts_share_a_line_and_say_why_they_came_to_nothing() -> None:
    attempts = (attempt(call=8), attempt(call=9), attempt(call=10), attempt(outcome="skipped"))
    assert plain(attempts_section(attempts)) == (
        "Rebuilds that made no graph; they do not count as recompiles:\n"
        "  calls 8-10: model/mlp.py:9 in forward\n"
        "    guard  n == 7\n"
        "    why    torch's limit of rebuilds was reached\n"
        "  call 8: model/mlp.py:9 in forward\n"
        "    guard  n == 7\n"
        "    why    torch gave the function up"
    )
    assert attempts_section(()) == []
