from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from report.values import change, recompile

from pytest_compilecheck.observe.values.recompile import Change, RecompileEvent, count_recompiles
from pytest_compilecheck.report.parts.rebuild_groups import Group, groups


def number(source: str, before: int, now: int, **fields: Any) -> Change:
    return change(
        cause="python_value", source=source, expected=str(before), actual=str(now), **fields
    )


def event(call: int, line: int, *changes: Change) -> RecompileEvent:
    return recompile(call=call, code_object=line, line=line, changes=changes)


def told(group: Group) -> list[tuple[str, list[str]]]:
    return [(each.source, values) for each, values in group.histories]


def test_frames_that_know_one_size_by_two_names_are_one_entry() -> None:
    behind = change(source="<result of line 12: y = f(x)>.size(0)")
    (group,) = groups([event(1, 9, change()), event(1, 12, behind)])
    assert told(group) == [("x.size(1)", ["128", "129"])]
    assert [line for _, _, line in group.places] == [9, 12]
    assert group.recompiles == 1


def test_what_a_line_left_behind_is_told_where_it_is_alone() -> None:
    behind = change(source="<result of line 12: y = f(x)>", cause="python_value")
    (group,) = groups([event(1, 12, behind)])
    assert told(group) == [(behind.source, ["128", "129"])]


def test_a_call_rebuilt_once_for_two_reasons_is_one_entry() -> None:
    (group,) = groups([event(1, 9, change()), event(1, 20, number("n", 1, 2))])
    assert [source for source, _ in told(group)] == ["x.size(1)", "n"]
    assert group.recompiles == 1


def test_code_rebuilt_twice_in_a_call_for_two_reasons_is_two_entries() -> None:
    found = groups([event(1, 9, change()), event(1, 9, number("n", 1, 2))])
    assert [told(group)[0][0] for group in found] == ["x.size(1)", "n"]


def test_layers_that_rebuild_one_forward_each_are_a_family() -> None:
    layers = [
        recompile(call=0, code_object=7, line=5, changes=(number("self.index", n, n + 1),))
        for n in range(6)
    ]
    (group,) = groups(layers)
    assert group.recompiles == 6
    assert group.places == {("forward", "model/mlp.py", 5): 6}
    assert told(group) == [("self.index", ["0", "1", "2", "3", "4", "5", "6"])]


def test_frames_that_see_one_counter_at_two_values_are_one_entry() -> None:
    counting = [
        event(call, line, number("self.step", call + after, call + after + 1))
        for call in (0, 1)
        for line, after in ((9, 0), (12, 1))
    ]
    (group,) = groups(counting)
    assert told(group) == [("self.step", ["0", "1", "2", "3"])]
    assert group.recompiles == 2


def test_the_same_thing_in_later_calls_is_the_same_entry() -> None:
    counting = [event(call, 9, number("self.step", call - 1, call)) for call in (1, 2, 3)]
    (group,) = groups([*counting[::-1]])
    assert group.calls == [1, 2, 3]
    assert told(group) == [("self.step", ["0", "1", "2", "3"])]


def test_a_thing_that_changes_other_code_is_an_entry_of_its_own() -> None:
    found = groups([event(1, 9, number("n", 1, 2)), event(2, 20, number("n", 2, 3))])
    assert [group.calls for group in found] == [[1], [2]]


def test_rebuilds_with_other_labels_are_entries_of_their_own() -> None:
    one = change(expected="5", actual="1", special="zero_one", automatic_dynamic=False)
    symbol = change(expected="1", actual="9", automatic_dynamic=True)
    found = groups([event(1, 9, one), event(4, 9, symbol)])
    assert [told(group) for group in found] == [
        [("x.size(1)", ["5", "1"])],
        [("x.size(1)", ["1", "9"])],
    ]


EVENTS = st.lists(
    st.builds(
        event,
        st.integers(0, 3),
        st.integers(1, 3),
        st.builds(number, st.sampled_from("abc"), st.integers(0, 2), st.integers(3, 5)),
    ),
    max_size=12,
)


@given(EVENTS)
def test_every_event_is_in_one_entry(events: list[RecompileEvent]) -> None:
    found = groups(events)
    inside = [id(each) for group in found for each in group.events]
    assert sorted(inside) == sorted(map(id, events))
    first_calls = [group.calls[0] for group in found]
    assert first_calls == sorted(first_calls)
    assert sum(group.recompiles for group in found) >= count_recompiles(events)


@given(EVENTS)
def test_entries_add_up_where_no_code_is_rebuilt_twice_in_a_call(
    events: list[RecompileEvent],
) -> None:
    once = list({(each.call, each.code_object): each for each in events}.values())
    assert sum(group.recompiles for group in groups(once)) == count_recompiles(once)
