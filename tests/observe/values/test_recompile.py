from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from observe.records import change
from report.values import recompile

from pytest_compilecheck import codec
from pytest_compilecheck.observe.values.place import Frame
from pytest_compilecheck.observe.values.recompile import Change, RecompileEvent, count_recompiles

SIZE = change(cause="shape", source="x.size(0)", expected="4", actual="5", automatic_dynamic=True)
FLAG = change(source="flag", expected="True", actual="False")


def test_the_facts_of_a_rebuild_are_those_of_its_main_change() -> None:
    event = recompile(changes=(SIZE, FLAG))
    assert (event.cause, event.holder, event.source) == ("shape", "argument", "x.size(0)")
    assert (event.expected, event.actual, event.cure) == ("4", "5", SIZE.cure)


def test_a_rebuild_is_automatic_dynamic_where_all_became_symbols() -> None:
    other = replace(SIZE, source="x.size(1)")
    assert recompile(changes=(SIZE, other)).automatic_dynamic
    assert not recompile(changes=(SIZE, FLAG)).automatic_dynamic
    assert not recompile(changes=(FLAG,)).automatic_dynamic


def test_json_shows_what_is_derived_and_comes_back_without_it() -> None:
    place = Frame(file="model.py", line=3, function="forward")
    fixed = replace(SIZE, automatic_dynamic=False, special="specialized", fixed_at=place)
    event = recompile(changes=(fixed, FLAG))
    data = codec.encode(event)
    assert (data["cause"], data["source"], data["cure"]) == ("shape", "x.size(0)", fixed.cure)
    assert [told["cure"] for told in data["changes"]] == [fixed.cure, FLAG.cure]
    assert codec.decode(RecompileEvent, data) == event
    assert codec.decode(Change, codec.encode(fixed)) == fixed


rebuilds = st.lists(
    st.tuples(st.integers(min_value=0, max_value=4), st.integers(min_value=0, max_value=3)),
    max_size=25,
)


@given(rebuilds)
def test_a_call_counts_its_most_rebuilt_code_object(rebuilt: list[tuple[int, int]]) -> None:
    expected = 0
    for call in {call for call, _ in rebuilt}:
        of_call = [code_object for where, code_object in rebuilt if where == call]
        expected += max(of_call.count(code_object) for code_object in of_call)
    events = [recompile(call=call, code_object=number) for call, number in rebuilt]
    assert count_recompiles(events) == expected


@given(rebuilds, st.randoms(use_true_random=False))
def test_neither_order_nor_names_matter(rebuilt: list[tuple[int, int]], random: object) -> None:
    events = [recompile(call=call, code_object=number) for call, number in rebuilt]
    renamed = [
        recompile(call=call, code_object=number, function=f"f{at}", line=at)
        for at, (call, number) in enumerate(rebuilt)
    ]
    random.shuffle(renamed)  # type: ignore[attr-defined]
    assert count_recompiles(renamed) == count_recompiles(events)


@pytest.mark.parametrize(
    ("rebuilt", "recompiles"),
    [
        ([], 0),
        ([(1, code_object) for code_object in range(4)], 1),  # one length, four pieces
        ([(1, 0)] * 7, 7),  # seven layers share one forward
        ([(1, 0), (2, 0), (2, 1), (5, 3)], 3),
    ],
)
def test_recompiles_as_a_person_counts_them(
    rebuilt: Sequence[tuple[int, int]], recompiles: int
) -> None:
    events = [recompile(call=call, code_object=number) for call, number in rebuilt]
    assert count_recompiles(iter(events)) == recompiles
