from __future__ import annotations

from typing import Any

import pytest
from observe.records import (
    LIBRARY,
    MODEL,
    OPTIMIZER,
    OWNERSHIP,
    at,
    broke,
    change,
    code,
    conversion,
    error,
    graph,
    reasons,
    recompiled,
    region,
    resumed,
    skipped,
    titled,
)

from pytest_compilecheck.observe.assembly.rebuilds import (
    assumed_sizes,
    fixed_sizes,
    fragile_guards,
    recompile_attempts,
    recompile_events,
)
from pytest_compilecheck.observe.events import GraphFacts, Outcome, Specialization, StackFrame
from pytest_compilecheck.observe.recording.conversion import Conversion
from pytest_compilecheck.observe.values.place import Frame
from pytest_compilecheck.observe.values.recompile import Change, FragileGuard

FORWARD, OTHER_FORWARD = code("forward"), code("forward", line=30)
STATE = "GLOBAL_STATE changed: grad_mode"

# Recompiles.


def test_recompile_events_tell_code_objects_apart() -> None:
    first = recompiled(FORWARD, call=1, reasons=reasons(STATE, "n == 1"))
    others = [recompiled(of, number, call=2) for number, of in enumerate([OTHER_FORWARD, FORWARD])]
    events = recompile_events([first, *others], OWNERSHIP)
    assert [(e.call, e.code_object, e.line) for e in events] == [(1, 0, 10), (2, 1, 30), (2, 0, 10)]
    assert {(e.function, e.file) for e in events} == {("forward", "model.py")}
    assert (events[0].guard, events[0].guards) == ("n == 1", (STATE, "n == 1"))


def test_an_event_tells_all_that_changed() -> None:
    told = (change(), change(source="m", cause="shape"))
    (event,) = recompile_events([recompiled(call=1, changes=told)], OWNERSHIP)
    assert event.changes == told


def test_neither_a_first_compile_nor_one_outside_any_call_is_a_recompile() -> None:
    made = [conversion(graphs=[graph()]), recompiled(call=None), skipped(code("helper"))]
    assert recompile_events(made, OWNERSHIP) == ()
    assert recompile_attempts(made, OWNERSHIP) == ()


# Attempts.

LIMIT = Outcome(at_limit=True)
BREAK = error("Unsupported: print", soft=True)
STRICT = error("Unsupported: print", soft=True, unsupported=True)
SKIPPED = Outcome(skip="error")
RAISED = titled("Observed exception", "GB0088")


@pytest.mark.parametrize(
    ("fields", "outcome"),
    [
        ({"outcome": LIMIT, "errors": [error()]}, "limit"),
        ({"outcome": Outcome(skip="no_ops")}, "nothing_to_compile"),
        ({"outcome": Outcome(skip="no_tensors"), "errors": [error()]}, "nothing_to_compile"),
        ({"outcome": Outcome(skip="error"), "errors": [error(), BREAK]}, "backend_error"),
        ({"outcome": Outcome(raised=True), "errors": [error()]}, "backend_error"),
        ({"outcome": Outcome(raised=True)}, "user_exception"),
        ({"outcome": SKIPPED, "breaks": [broke(at(12), text=RAISED)]}, "user_exception"),
        ({"outcome": SKIPPED, "breaks": [broke(at(12), text=titled("print"))]}, "graph_break"),
        ({"outcome": Outcome(raised=True), "errors": [STRICT]}, "graph_break"),
        ({"outcome": Outcome(skip="dispatch_mode")}, "skipped"),
    ],
)
def test_an_attempt_is_no_recompile_and_tells_its_end(fields: dict[str, Any], outcome: str) -> None:
    attempt = recompiled(resumed("forward", 12), graphs=[], **fields)
    assert recompile_events([attempt], OWNERSHIP) == ()
    (told,) = recompile_attempts([attempt], OWNERSHIP)
    assert (told.call, told.function, told.file, told.line) == (0, "forward", "model.py", 10)
    assert (told.guard, told.outcome, told.changes) == ("n == 1", outcome, (change(),))


def test_a_recompile_is_no_attempt() -> None:
    assert recompile_attempts([recompiled(call=1)], OWNERSHIP) == ()


# Sizes that the code made numbers.

IN_LIBRARY = StackFrame(LIBRARY, 7, "rearrange")
IN_TORCH = StackFrame(OPTIMIZER, 5, "step")


def fixed(*traced: StackFrame, sources: tuple[str, ...] = ("x.size(0)",)) -> Specialization:
    return Specialization(sources=sources, value="4", reason="a loop over it", traced=traced)


def size(**fields: Any) -> Change:
    return change(**{"cause": "shape", "source": "x.size(0)", **fields})


@pytest.mark.parametrize(
    ("traced", "place"),
    [
        ((at(3), at(12)), Frame(file="model.py", line=12, function="forward")),
        ((at(3), IN_LIBRARY, IN_TORCH), Frame(file="model.py", line=3, function="forward")),
        ((IN_LIBRARY, IN_TORCH), Frame(file=LIBRARY, line=7, function="rearrange")),
    ],
)
def test_a_size_is_fixed_at_the_innermost_line_of_the_own_code(
    traced: tuple[StackFrame, ...], place: Frame
) -> None:
    made = recompiled(call=1, changes=(size(),), specializations=[fixed(*traced)])
    (told,) = recompile_events([made], OWNERSHIP)[0].changes
    assert (told.special, told.fixed_at) == ("specialized", place)
    (listed,) = fixed_sizes([made], OWNERSHIP)
    assert (listed.file, listed.line, listed.function) == (place.file, place.line, place.function)
    assert (listed.call, listed.sources, listed.value) == (1, ("x.size(0)",), "4")


@pytest.mark.parametrize(
    "told",
    [
        size(source="x.size(1)"),
        size(automatic_dynamic=True),
        change(cause="object_identity", source="x.size(0)"),
    ],
    ids=["another size", "a symbol now", "no number"],
)
def test_no_other_change_is_fixed_at_it(told: Change) -> None:
    made = recompiled(call=1, changes=(told,), specializations=[fixed(at(12))])
    assert recompile_events([made], OWNERSHIP)[0].changes == (told,)


@pytest.mark.parametrize("cause", ["python_value", "module_state"])
def test_a_number_that_was_a_symbol_is_fixed_at_the_line_that_needs_it(cause: str) -> None:
    changed = change(cause=cause, source="n")
    loop = [fixed(at(12), sources=("n",))]
    made = recompiled(call=1, changes=(changed,), specializations=loop)
    (told,) = recompile_events([made], OWNERSHIP)[0].changes
    assert (told.special, told.fixed_at) == (
        "specialized",
        Frame(file="model.py", line=12, function="forward"),
    )


def test_what_torch_alone_fixed_has_no_place() -> None:
    made = recompiled(call=1, changes=(size(),), specializations=[fixed(IN_TORCH)])
    assert recompile_events([made], OWNERSHIP)[0].changes == (size(),)
    assert fixed_sizes([made], OWNERSHIP) == ()


def test_what_is_special_about_a_size_already_stays() -> None:
    tied = size(special="static_parameter")
    made = recompiled(call=1, changes=(tied,), specializations=[fixed(at(12))])
    (told,) = recompile_events([made], OWNERSHIP)[0].changes
    assert told.special == "static_parameter"
    assert told.fixed_at is not None


def test_a_size_that_is_fixed_in_two_tries_of_one_compile_is_listed_once() -> None:
    twice = conversion(specializations=[fixed(at(12)), fixed(at(12)), fixed(at(13))])
    assert [each.line for each in fixed_sizes([twice], OWNERSHIP)] == [12, 13]


def test_sizes_fixed_outside_any_call_or_for_no_graph_are_not_listed() -> None:
    made = [
        conversion(call=None, specializations=[fixed(at(12))]),
        skipped(specializations=[fixed(at(12))]),
    ]
    assert fixed_sizes(made, OWNERSHIP) == ()


# What the graphs assume.


def fragile(source: str = "self.step", rank: int = 0, **fields: Any) -> FragileGuard:
    return FragileGuard(
        **{
            "source": source,
            "value": "1",
            "holder": "module",
            "file": MODEL,
            "line": 12,
            "why": "it counts",
            "rank": rank,
            **fields,
        }
    )


def assumes(*guards: FragileGuard, of: Any = FORWARD, **fields: Any) -> Conversion:
    outcome = Outcome(compiled=True, graph=GraphFacts(sizes={"x": (4, None)}, fragile=guards))
    return conversion(of, **{"outcome": outcome, **fields})


def test_fragile_guards_are_those_of_the_newest_graph_of_each_code_object() -> None:
    made = [
        assumes(fragile("n", 1)),
        assumes(fragile("m", 3), of=OTHER_FORWARD),
        assumes(fragile(value="2")),
    ]
    told = fragile_guards(made, OWNERSHIP)
    assert told is not None
    assert [(each.source, each.value, each.file) for each in told] == [
        ("self.step", "2", "model.py"),
        ("m", "1", "model.py"),
    ]


def test_a_fragile_guard_of_two_graphs_is_told_once() -> None:
    made = [assumes(fragile()), assumes(fragile(), fragile(file=None), of=OTHER_FORWARD)]
    told = fragile_guards(made, OWNERSHIP)
    assert told is not None
    assert [(each.source, each.file) for each in told] == [
        ("self.step", "model.py"),
        ("self.step", None),
    ]


def test_fragile_guards_are_unknown_where_those_of_a_graph_are() -> None:
    assert fragile_guards([assumes(fragile()), conversion(OTHER_FORWARD)], OWNERSHIP) is None
    assert fragile_guards([assumes(), skipped(OTHER_FORWARD)], OWNERSHIP) == ()


def test_assumed_sizes_are_those_of_the_regions_own_function() -> None:
    of_forward = region(0, FORWARD)
    made = [
        assumes(call=0, region=of_forward),
        assumes(of=OTHER_FORWARD, call=0, region=of_forward),
        assumes(call=1, region=of_forward),
        assumes(call=None, region=of_forward),
        conversion(FORWARD, call=2, region=of_forward),
    ]
    told = assumed_sizes(made, OWNERSHIP)
    assert [(each.call, each.line, each.sizes) for each in told] == [
        (0, 10, {"x": (4, None)}),
        (1, 10, {"x": (4, None)}),
    ]
    assert {(each.file, each.function) for each in told} == {("model.py", "forward")}
