from __future__ import annotations

from report.values import change, entry, recompile

from pytest_compilecheck.observe.values.observation import TimelineEntry
from pytest_compilecheck.report.parts.timeline import kinds_text, timeline_section
from pytest_compilecheck.report.style import plain


def told(*timeline: TimelineEntry, verbose: bool = False) -> str:
    return plain(timeline_section(timeline, (), verbose=verbose))


def test_neighbouring_calls_of_one_kind_are_folded() -> None:
    kinds = ["compile", "hit", "recompile", "hit", "hit", "hit"]
    assert told(*map(entry, range(6), kinds)) == "calls: 0 compile, 1 hit, 2 recompile, 3-5 hit"


def test_a_long_timeline_is_cut() -> None:
    calls = [entry(call, "hit" if call % 2 else "recompile") for call in range(100)]
    text = told(*calls)
    assert text.startswith("calls: 0 recompile, 1 hit, ")
    assert text.endswith(", 23 hit, and 76 more runs to call 99")


def test_verbose_is_a_table_of_all_calls() -> None:
    text = told(
        entry(0, "compile", seconds=0.31, compile_seconds=0.3, graph_launches=12),
        entry(1, step=None, pass_=None, sizes={"x": (8, 128), "mask": (8,)}),
        verbose=True,
    )
    assert text == (
        "calls:\n"
        "  call  step  pass  kind     sizes                  seconds  compiling  launches\n"
        "  ----  ----  ----  ----     -----                  -------  ---------  --------\n"
        "     0     0     0  compile  x=(8, 128)              0.3100     0.3000        12\n"
        "     1     ?     ?  hit      x=(8, 128), mask=(8,)   0.5000     0.0000         2"
    )


def test_columns_that_say_nothing_are_left_out() -> None:
    plain_table = told(entry(0), entry(1), verbose=True).splitlines()[1]
    rich_table = told(
        entry(0, weight=5), entry(1, region="decoder", error="ValueError: a\nb"), verbose=True
    )
    assert plain_table.split()[-1] == "launches"
    assert rich_table.splitlines()[1].split()[-3:] == ["count", "region", "error"]
    assert rich_table.splitlines()[-1].endswith("1  decoder  ValueError: a b")


def test_a_call_that_recompiled_says_why_in_the_table() -> None:
    timeline = (entry(0, "compile"), entry(1, "recompile"), entry(2))
    events = (recompile(), recompile(changes=(change(source="y.size(0)"),)))
    rows = plain(timeline_section(timeline, events, verbose=True)).splitlines()
    assert rows[1].endswith("launches  because of")
    assert [row.endswith("x.size(1): 128 -> 129") for row in rows[3:]] == [False, True, False]


def test_no_call_is_no_section() -> None:
    assert told() == told(verbose=True) == ""


def test_kinds_are_counted_the_gravest_first() -> None:
    assert kinds_text(["hit", "compile", "hit", "error"]) == "1 error, 1 compile, 2 hit"
