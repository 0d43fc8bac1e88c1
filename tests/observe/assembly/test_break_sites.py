from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from observe.records import (
    LIBRARY,
    OPTIMIZER,
    OWNERSHIP,
    at,
    broke,
    call,
    code,
    conversion,
    error,
    graph,
    region,
    resumed,
    skipped,
    titled,
)

from pytest_compilecheck.observe.assembly.break_sites import BreakSiteFinder
from pytest_compilecheck.observe.events import BreakEvent, Outcome, StackFrame
from pytest_compilecheck.observe.recording.conversion import Call, Conversion
from pytest_compilecheck.observe.source import Ownership
from pytest_compilecheck.observe.values.observation import BreakSite
from pytest_compilecheck.observe.values.place import Frame

PRINT, ITEM = titled("print", "GB0059"), titled("item", "GB0124")


def find(*conversions: Conversion, calls: tuple[Call, ...] = (), **options: Any) -> list[BreakSite]:
    given_options = {"ownership": OWNERSHIP, "ids_by_title": {}, **options}
    return BreakSiteFinder(**given_options).find(conversions, calls)


def breaking(*events: BreakEvent, call: int | None = 0, **fields: Any) -> Conversion:
    return conversion(fields.pop("of", None), breaks=list(events), call=call, **fields)


def one(*conversions: Conversion, **options: Any) -> BreakSite:
    (site,) = find(*conversions, **options)
    return site


# What is one site.


def test_a_place_and_a_reason_are_one_site_however_often_it_breaks() -> None:
    event = broke(at(12, 8), text=PRINT)
    site = one(breaking(event, event), breaking(event, call=3), breaking(event, call=None))
    assert (site.events, site.event_calls) == (4, (0, 3))
    assert (site.file, site.line, site.column, site.gb_id) == ("model.py", 12, 8, "GB0059")


@pytest.mark.parametrize(
    "other",
    [
        broke(at(13, 8), text=PRINT),
        broke(at(12, 20), text=PRINT),
        broke(at(12, 8), text=ITEM),
        broke(at(12, 8, file=LIBRARY), text=PRINT),
    ],
    ids=["line", "column", "reason", "file"],
)
def test_what_differs_in_one_of_these_is_another_site(other: BreakEvent) -> None:
    assert len(find(breaking(broke(at(12, 8), text=PRINT)), breaking(other))) == 2


def test_without_an_id_the_reason_is_the_root() -> None:
    events = [broke(at(12, 8), text=titled(title)) for title in ("a", "b", "a")]
    sites = find(*map(breaking, events))
    assert [(site.reason, site.gb_id, site.events) for site in sites] == [
        ("a", None, 2),
        ("b", None, 1),
    ]


def test_what_follows_from_the_root_makes_no_site() -> None:
    site = one(
        breaking(broke(at(12, 8), text=PRINT + ITEM)), breaking(broke(at(12, 8), text=PRINT))
    )
    assert (site.reason, site.gb_ids, site.events) == ("print", ("GB0059", "GB0124"), 2)


@pytest.mark.parametrize("columns", [(8, None), (None, 8), (None, 8, None)])
def test_a_record_without_column_joins_the_site_of_its_line(
    columns: tuple[int | None, ...],
) -> None:
    site = one(*(breaking(broke(at(12, column), text=PRINT)) for column in columns))
    assert (site.column, site.events) == (8, len(columns))


def test_a_record_without_column_does_not_join_two_places() -> None:
    sites = find(*(breaking(broke(at(12, column), text=PRINT)) for column in (None, 8, 20)))
    assert [(site.column, site.events) for site in sites] == [(8, 2), (20, 1)]


places = st.tuples(
    st.integers(min_value=1, max_value=3), st.integers(min_value=1, max_value=3), st.booleans()
)


@given(st.lists(places, max_size=12))
def test_records_with_columns_fold_alike_in_any_order(found: list[tuple[int, int, bool]]) -> None:
    events = [broke(at(line, col), text=PRINT if kind else ITEM) for line, col, kind in found]
    sites = find(*map(breaking, events))
    assert [(site.line, site.column, site.gb_id == "GB0059") for site in sites] == list(
        dict.fromkeys(found)
    )
    assert sum(site.events for site in sites) == len(found)


def test_sites_come_in_the_order_in_which_they_were_met() -> None:
    torch_only = broke(at(5, file=OPTIMIZER), text=ITEM)
    events = [broke(at(30), text=PRINT), torch_only, broke(at(12), text=PRINT)]
    assert [site.line for site in find(*map(breaking, events))] == [30, 5, 12]


@pytest.mark.parametrize("title", ["Dynamo recompile limit exceeded", "Attempt to trace generator"])
def test_torchs_own_bookkeeping_is_no_break(title: str) -> None:
    assert find(breaking(broke(at(12), text=titled(title)))) == []


# Torch's own frames.


def test_a_record_with_torch_frames_alone_joins_the_site_that_ends_there() -> None:
    step = broke(at(15, 5), at(79, file=OPTIMIZER, function="wrapper"), text=ITEM)
    rest = broke(at(79, file=OPTIMIZER, function="wrapper"), text=PRINT)
    for order in ((step, rest), (rest, step)):
        site = one(*map(breaking, order))
        assert (site.file, site.line, site.reason, site.events) == ("model.py", 15, "item", 2)
        assert site.torch_frame is not None
        assert (site.torch_frame.line, site.torch_frame.function) == (79, "wrapper")


def test_of_several_that_end_there_it_joins_the_one_that_is_running() -> None:
    end = at(79, file=OPTIMIZER, function="wrapper")
    first, second = (breaking(broke(at(line, 5), end, text=ITEM)) for line in (15, 17))
    rest = breaking(broke(end, text=ITEM, above=(at(17),)))
    elsewhere = breaking(broke(end, text=ITEM))
    found = find(first, second, rest, rest, elsewhere)
    assert [(site.line, site.events) for site in found] == [(15, 2), (17, 3)]


def test_it_joins_by_any_record_of_the_site() -> None:
    plain = broke(at(15, 5), text=ITEM)
    step = broke(at(15, 5), at(79, file=OPTIMIZER), text=ITEM)
    rest = broke(at(79, file=OPTIMIZER), text=PRINT)
    assert one(*map(breaking, (plain, step, rest))).events == 3


def test_where_none_ends_there_it_is_a_site_of_torchs() -> None:
    rest = broke(at(79, 3, file=OPTIMIZER, function="wrapper"), text=PRINT)
    other, torchs = find(breaking(broke(at(15), text=ITEM)), breaking(rest), breaking(rest))
    assert (torchs.owner, torchs.line, torchs.events) == ("torch", 79, 2)
    assert (torchs.torch_frame, torchs.own_frame) == (None, None)
    assert other.events == 1


def test_a_record_without_any_stack_is_at_the_frame_being_converted() -> None:
    site = one(breaking(broke(text=PRINT), of=code("forward", line=30)))
    assert (site.file, site.line, site.column, site.function) == ("model.py", 30, None, "forward")


# Chain and own frame.


def frames(*lines: int, **fields: Any) -> tuple[StackFrame, ...]:
    return tuple(at(line, **{"function": f"f{line}", **fields}) for line in lines)


def test_the_chain_leads_from_the_outermost_own_frame_to_the_place() -> None:
    above = (at(1, file="/other/main.py"), *frames(2, 3), at(50, file=OPTIMIZER))
    event = broke(*frames(4, 5), at(50, file=OPTIMIZER), text=PRINT, above=above)
    site = one(breaking(event, of=code("f4")))
    assert [(frame.line, frame.function) for frame in site.chain] == [
        (2, "f2"),
        (3, "f3"),
        (4, "f4"),
    ]
    assert site.own_frame == Frame(file="model.py", line=5, function="f5")
    assert (site.line, site.function, site.owner) == (5, "f5", "own")


def test_a_break_in_a_library_tells_the_nearest_own_frame() -> None:
    event = broke(*frames(4, 5), *frames(7, 8, file=LIBRARY), text=PRINT)
    site = one(breaking(event, of=code("f4")))
    assert (site.owner, site.line) == ("third_party", 8)
    assert site.own_frame == Frame(file="model.py", line=5, function="f5")
    assert [frame.line for frame in site.chain] == [4, 5, 7]


def test_the_chain_begins_behind_pytest() -> None:
    """In a worker of xdist "<string>" called it, which is typed-in code otherwise."""
    runner = "/env/site-packages/_pytest/python.py"
    above = (at(1, file="<string>"), at(2, file=runner), *frames(3, file=LIBRARY), *frames(4))
    site = one(breaking(broke(*frames(5), text=PRINT, above=above), of=code("f5")))
    assert [frame.line for frame in site.chain] == [4]


def test_a_library_compiled_by_itself_has_its_callers_as_chain() -> None:
    event = broke(*frames(8, file=LIBRARY), text=PRINT, above=frames(7, file=LIBRARY))
    site = one(breaking(event, of=code("f8", file=LIBRARY)))
    assert (site.own_frame, [frame.line for frame in site.chain]) == (None, [7])


def test_of_a_resumed_function_only_the_part_that_runs_is_told() -> None:
    above = (
        at(3, function="main"),
        at(12, function="forward"),
        at(12, function="torch_dynamo_resume_in_forward_at_12"),
        at(14, function="torch_dynamo_resume_in_forward_at_14"),
        at(40, function="helper"),
    )
    # 2.13 gives the traced frame its plain name, 2.8 does not.
    for name in ("helper", "torch_dynamo_resume_in_helper_at_40"):
        event = broke(at(45, function=name), text=PRINT, above=above)
        site = one(breaking(event, of=resumed("helper", 40)))
        chain = [(frame.line, frame.function) for frame in site.chain]
        assert chain == [(3, "main"), (14, "forward")]
        assert (site.line, site.function) == (45, "helper")


def test_a_function_that_calls_itself_stays_twice_in_the_chain() -> None:
    event = broke(at(16, function="walk"), text=PRINT, above=(at(14, function="walk"),))
    assert [frame.line for frame in one(breaking(event, of=code("walk"))).chain] == [14]


# Breaks without a record.


def test_full_graph_mode_reports_by_the_last_error() -> None:
    errors = [
        error("Unsupported: a", soft=True, event=broke(at(11), text=titled("a"))),
        error("Unsupported: b", soft=True, event=broke(at(12), text=titled("b"))),
        error("ValueError", soft=False, event=broke(at(13), text="no")),
    ]
    raised = conversion(errors=errors, outcome=Outcome(raised=True))
    assert [(site.line, site.reason) for site in find(raised)] == [(12, "b")]
    assert find(conversion(errors=errors)) == []


def test_a_stop_without_a_record_is_a_site_without_reason() -> None:
    site = one(conversion(unresumed=[broke(at(9, 5))]))
    assert (site.line, site.gb_id, site.skips_function) == (9, None, True)
    assert site.reason == "torch stops capture here and gives no reason"


def test_a_stop_without_a_record_follows_from_a_break_further_in() -> None:
    event = broke(at(9, function="outer"), at(20, 5, function="inner"), text=PRINT)
    stop = conversion(unresumed=[broke(at(9, function="outer"))])
    site = one(stop, breaking(event, of=code("outer")))
    assert (site.line, site.events, site.skips_function) == (20, 1, True)


def test_a_record_that_tells_of_the_rest_explains_the_stop() -> None:
    text = "Compiling up to here, then skipping the rest of the function. " + PRINT
    site = one(breaking(broke(at(9), text=text), unresumed=[broke(at(9))]))
    assert (site.events, site.gb_id, site.skips_function) == (1, "GB0059", True)


SKIPPING = "Skipping the function and falling back to eager. " + PRINT


@pytest.mark.parametrize(
    ("made", "skips"),
    [
        (breaking(broke(at(12), text=PRINT)), False),
        (breaking(broke(at(12), text=SKIPPING)), True),
        (skipped(breaks=[broke(at(12), text=PRINT)], skip="error"), True),
        (breaking(broke(at(12), text=PRINT), outcome=Outcome(raised=True)), False),
    ],
)
def test_whether_the_function_was_given_up(made: Conversion, skips: bool) -> None:
    assert one(made).skips_function is skips


# How often it runs.

BREAK_12 = broke(at(12, 8), text=PRINT)


def warm(*launches: tuple[int, ...]) -> tuple[Call, ...]:
    cold = call(0, conversions=(conversion(),))
    calls = (call(number, *launched) for number, launched in enumerate(launches, 1))
    return (cold, *calls)


def executions(*conversions: Conversion, calls: tuple[Call, ...]) -> float | None:
    return one(*conversions, calls=calls).executions_per_warm_call


FORWARD = breaking(BREAK_12, graphs=[graph(0)])
REST = conversion(resumed("forward", 12), graphs=[graph(1)])


def test_it_runs_as_often_as_the_graph_before_it() -> None:
    assert executions(FORWARD, REST, calls=warm((0, 1), (0, 1))) == 1
    assert executions(FORWARD, calls=warm((0, 0, 0), (0,), ())) == 1.333


def test_or_as_the_graph_after_it_where_there_is_none_before() -> None:
    assert executions(breaking(BREAK_12), REST, calls=warm((1, 1), (1, 1))) == 2


def test_variants_of_a_frame_add_up() -> None:
    rebuilt = breaking(BREAK_12, call=1, graphs=[graph(2, rebuild=True)])
    assert executions(FORWARD, rebuilt, calls=warm((0,), (2,), (0,))) == 1


def test_an_inlined_break_is_counted_where_its_function_is_compiled_by_itself() -> None:
    inner = breaking(broke(at(12, 8, function="inner"), text=PRINT), of=code("inner", line=11))
    inner.graphs.append(graph(1))
    way = (at(35, function="outer"), at(12, 8, function="inner"))
    outer = breaking(broke(*way, text=PRINT), of=code("outer", line=33), graphs=[graph(0)])
    assert executions(outer, inner, calls=warm((0, 1, 1, 1))) == 3


def test_it_is_unknown_where_checkpoint_runs_a_function_that_was_compiled_by_itself_too() -> None:
    inner = breaking(broke(at(12, 8, function="inner"), text=PRINT), of=code("inner", line=11))
    inner.graphs.append(graph(1))
    text = PRINT.replace("\n", "\n  Higher Order Operator: torch.utils.checkpoint.checkpoint\n", 1)
    way = (at(35, function="outer"), at(12, 8, function="inner"))
    outer = breaking(broke(*way, text=text), of=code("outer", line=33), graphs=[graph(0)])
    assert executions(outer, inner, calls=warm((0,), (0,))) is None
    assert executions(outer, calls=warm((0,), (0,))) == 1


def test_it_is_unknown_where_the_function_was_compiled_in_another_region_and_does_not_run() -> None:
    inner = breaking(broke(at(12, 8, function="inner"), text=PRINT), of=code("inner", line=11))
    inner.graphs.append(graph(1))
    inner.region = region(1)
    way = (at(35, function="outer"), at(12, 8, function="inner"))
    outer = breaking(broke(*way, text=PRINT), of=code("outer", line=33), graphs=[graph(0)])
    assert executions(outer, inner, calls=warm((0,), (0,))) is None
    assert executions(outer, inner, calls=warm((0, 1), (0, 1))) == 1


def test_another_function_of_the_same_name_is_not_where_it_is() -> None:
    inner = breaking(BREAK_12, of=code("forward", line=11), graphs=[graph(1)])
    way = (at(35), at(12, 8))
    outer = breaking(broke(*way, text=PRINT), of=code("forward", line=33), graphs=[graph(0)])
    assert executions(outer, inner, calls=warm((0, 1), (0, 1))) == 1


def test_calls_of_other_regions_are_no_calls_of_it() -> None:
    others = tuple(call(number, 7, region=region(1)) for number in (5, 6))
    assert executions(FORWARD, calls=(*warm((0,), (0,)), *others)) == 1


def test_it_is_unknown_without_warm_calls_or_graphs() -> None:
    assert executions(FORWARD, calls=warm()) is None
    assert executions(FORWARD, calls=(call(0, 0, error="ValueError"),)) is None
    assert executions(breaking(BREAK_12), calls=warm((0,))) is None


def test_a_break_of_the_start_alone_runs_in_no_warm_call() -> None:
    other = conversion(code("other"), graphs=[graph(5)])
    assert executions(FORWARD, other, calls=warm((5,), (5,))) == 0


def test_it_is_unknown_where_a_graph_from_before_the_watch_ran() -> None:
    assert executions(FORWARD, REST, calls=warm((0, 1), (5,))) is None


def test_the_source_line_and_the_columns_are_those_of_the_place(tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_text("def f(x):\n    return  float(x)\n", encoding="utf-8")
    ownership = Ownership(root=str(tmp_path), torch_directory="/torch")
    place = StackFrame(str(file), 2, "f", column=13, end_column=21)
    site = one(breaking(broke(place, text=ITEM)), ownership=ownership)
    assert (site.file, site.code) == ("model.py", "return  float(x)")
    assert (site.column, site.end_column) == (13, 21)
    assert site.docs is not None
    assert site.docs.endswith("/gb/gb0124.html")
