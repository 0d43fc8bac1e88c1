from __future__ import annotations

from dataclasses import replace
from dis import opmap
from types import CodeType
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from observe.records import (
    OWNERSHIP,
    at,
    broke,
    call,
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

from pytest_compilecheck.observe.assembly.assemble import StepMark, assemble, call_kind
from pytest_compilecheck.observe.events import Outcome
from pytest_compilecheck.observe.recording.conversion import Call, Conversion, Region
from pytest_compilecheck.observe.values.observation import CallKind, Observation

FORWARD, OTHER_FORWARD = code("forward"), code("forward", line=30)
LIMIT = Outcome(at_limit=True)


def assembled(
    calls: list[Call], marks: list[StepMark] | None = None, outside: tuple[Conversion, ...] = ()
) -> Observation:
    conversions = [*outside, *(record for each in calls for record in each.conversions)]
    return assemble(
        calls=calls,
        conversions=conversions,
        graphs=[made for record in conversions for made in record.graphs],
        marks=marks or [],
        ownership=OWNERSHIP,
        ids_by_title={},
        problems=["a trouble"],
    )


# What makes a call each kind, the strongest first; a call has any of them together.
PROPERTIES: dict[CallKind, dict[str, Any]] = {
    "error": {"error": "ValueError"},
    "recompile": {"conversions": (recompiled(FORWARD),)},
    "compile": {"conversions": (conversion(graphs=[graph()]),)},
    "fallback": {"unanswered": 1},
    "hit": {"launched": (0,)},
}


@given(st.sets(st.sampled_from(list(PROPERTIES)), min_size=1))
def test_the_first_kind_that_applies_counts(kinds: set[CallKind]) -> None:
    fields: dict[str, Any] = {"launched": (0,)}
    for kind in kinds:
        more = PROPERTIES[kind]
        conversions = fields.get("conversions", ()) + more.get("conversions", ())
        fields |= {**more, "conversions": conversions}
    expected = next(kind for kind in PROPERTIES if kind in kinds)
    assert call_kind(call(**fields), OWNERSHIP) == expected


def test_every_kind_is_among_them() -> None:
    # "unknown" is what a doubt about the process makes of one (`doubtful`).
    assert (*PROPERTIES, "unknown") == get_args(CallKind)


@pytest.mark.parametrize(
    ("made", "kind"),
    [
        (call(0), "fallback"),
        (call(0, 0), "hit"),
        (call(0, 0, conversions=(skipped(resumed("forward", 12)),)), "hit"),
        (call(0, 0, conversions=(conversion(outcome=LIMIT, reasons=reasons("n")),)), "fallback"),
        (call(0, 0, stance="eager_on_recompile"), "hit"),
        (call(0, 0, eager_stances=("force_eager",)), "fallback"),
        # An attempt that gave no code is no recompile, a code without a graph no compile.
        (
            call(0, conversions=(conversion(reasons=reasons("n"), outcome=Outcome(raised=True)),)),
            "fallback",
        ),
        (call(0, conversions=(conversion(),)), "fallback"),
        (call(0, 0, conversions=(conversion(reasons=reasons("n")),)), "recompile"),
    ],
)
def test_call_kind(made: Call, kind: str) -> None:
    assert call_kind(made, OWNERSHIP) == kind


def mark(first_call: int, step: int, pass_: int = 0, **fields: Any) -> StepMark:
    return StepMark(
        **{
            "first_call": first_call,
            "step": step,
            "pass_": pass_,
            "sizes": {"x": (step, 8)},
            "weight": step + 1,
            **fields,
        }
    )


def test_calls_belong_to_the_step_that_began_last() -> None:
    marks = [mark(1, 0), mark(2, 1), mark(4, 0, 1)]
    timeline = assembled([call(index, 0) for index in range(6)], marks).timeline
    assert [(entry.step, entry.pass_) for entry in timeline] == [
        (None, None),
        (0, 0),
        (1, 0),
        (1, 0),
        (0, 1),
        (0, 1),
    ]
    assert [entry.weight for entry in timeline] == [1, 1, 2, 2, 1, 1]


def test_a_step_without_a_call_has_none() -> None:
    timeline = assembled([call(0, 0), call(1, 0)], [mark(0, 0), mark(1, 1), mark(1, 2)]).timeline
    assert [entry.step for entry in timeline] == [0, 2]


def test_sizes_are_those_seen_and_else_those_of_the_step() -> None:
    seen = {"y": (3,)}
    calls = [call(0, 0), call(1, 0, sizes=seen), call(2, 0), call(3, 0)]
    timeline = assembled(calls, [mark(1, 0), mark(3, 1, sizes={})]).timeline
    assert [entry.sizes for entry in timeline] == [{}, seen, {"x": (0, 8)}, {}]


def test_an_error_of_the_compiler_is_told_from_others() -> None:
    failed = conversion(outcome=Outcome(raised=True), errors=[error()])
    strict = conversion(
        outcome=Outcome(raised=True),
        errors=[error("Unsupported: print", soft=True, unsupported=True)],
    )
    timeline = assembled(
        [
            call(0, conversions=(failed,), error="BackendCompilerFailed: no"),
            call(1, conversions=(strict,), error="Unsupported: print"),
            call(2, 0, error="ValueError: of the user"),
            call(3, 0),
        ]
    ).timeline
    assert [entry.failed_to_compile for entry in timeline] == [True, False, False, False]


def test_a_resumed_function_without_a_record_of_its_break_is_a_problem() -> None:
    rest = conversion(resumed("forward", 12), graphs=[graph(1)])
    _, problem = assembled([call(0, 0, 1, conversions=(rest,))]).problems
    assert problem == (
        f"torch resumed forward after {rest.code.co_filename}:12, but told of no graph break there"
    )


@pytest.mark.parametrize(
    "fields", [{"region": Region(0, created_before=True)}, {"had_entries": True}]
)
def test_a_resumed_function_from_before_the_watch_shows_a_break_of_before(
    fields: dict[str, Any],
) -> None:
    old = [conversion(resumed("forward", 12), **fields) for _ in range(2)]
    seen = assembled([call(0, 0, 1, conversions=(old[0],)), call(1, 0, 1, conversions=(old[1],))])
    assert seen.problems == ("a trouble",)
    assert [(each.file, each.line) for each in seen.earlier_breaks] == [("model.py", 12)]
    told = conversion(FORWARD, breaks=[broke(at(12, 8), text=titled("print", "GB0059"))])
    assert assembled([call(0, 0, 1, conversions=(told, old[0]))]).earlier_breaks == ()


def test_a_rebuild_beside_work_that_ran_eagerly_is_both() -> None:
    made = call(0, 0, unanswered=1, conversions=(recompiled(FORWARD),))
    seen = assembled([made])
    assert [entry.kind for entry in seen.timeline] == ["recompile"]
    assert [(each.kind, each.calls) for each in seen.fallbacks] == [("recompile_limit", (0,))]


def test_a_recompile_that_the_stance_refused_is_an_error_of_the_compiler() -> None:
    refusal = "RuntimeError: Detected recompile when torch.compile stance is 'fail_on_recompile'"
    timeline = assembled(
        [
            call(0, stance="fail_on_recompile", unanswered=1, error=refusal),
            call(1, 0, stance="fail_on_recompile", error="ValueError: of the user"),
        ]
    ).timeline
    assert [entry.failed_to_compile for entry in timeline] == [True, False]


def test_code_that_is_compiled_for_other_inputs_after_a_reset_is_a_problem() -> None:
    model = code()
    first, rebuilt = conversion(model), conversion(model, had_entries=True)
    others = [conversion(code("other"), resets=1), conversion(model, resets=1, outcome=Outcome())]
    again = conversion(model, call=1, resets=1)
    calls = [call(0, 0, conversions=(first, rebuilt, *others))]
    assert assembled(calls).problems == ("a trouble",)
    same = call(1, 0, conversions=(again, again))
    assert assembled([*calls, same]).problems == ("a trouble",)
    other = replace(same, sizes={"x": (4,)})
    _, problem = assembled([*calls, other]).problems
    assert problem.startswith(
        f"torch._dynamo.reset() threw away the graphs of forward ({model.co_filename}:10) before"
    )


def test_an_entry_tells_what_the_call_was() -> None:
    made = call(3, 0, 0, 1, error="ValueError: no", region=region(0, resumed("forward", 12)))
    (entry,) = assembled([made]).timeline
    assert (entry.call, entry.kind, entry.error) == (3, "error", "ValueError: no")
    assert (entry.graph_launches, entry.region) == (3, "forward")
    assert (entry.seconds, entry.compile_seconds) == (0.5, 0.25)


def test_a_region_whose_root_was_never_seen_has_no_name() -> None:
    assert assembled([call(0, 0)]).timeline[0].region == ""


def test_a_recompile_outside_any_call_is_none_of_a_call() -> None:
    seen = assembled([call(0, 0)], outside=(recompiled(call=None),))
    assert (seen.recompiles, seen.recompile_events, seen.graphs) == (0, (), 1)


def test_rebuilds_add_no_captured_operations() -> None:
    first = conversion(graphs=[graph(0, 5), graph(1, 3)])
    again = recompiled(number=2, call=1, graphs=[graph(2, 1, rebuild=True)])
    seen = assembled([call(0, 0, 1, conversions=(first,)), call(1, 2, conversions=(again,))])
    assert (seen.graphs, seen.captured_ops, seen.smallest_graph_ops) == (3, 8, 3)


def test_what_is_compiled_again_after_a_reset_adds_no_captured_operations() -> None:
    """A graph of it is one; torch makes anew the functions that follow a break."""
    one, two = resumed("forward", 12), resumed("forward", 12).replace(co_consts=("other",))
    assert one != two
    first = [
        conversion(FORWARD, graphs=[graph(0, 5)]),
        conversion(one, graphs=[graph(1, 3)]),
    ]
    again = [
        conversion(FORWARD, call=1, resets=1, graphs=[graph(2, 5)]),
        conversion(two, call=1, resets=1, graphs=[graph(3, 2)]),
        conversion(OTHER_FORWARD, call=1, resets=1, graphs=[graph(4, 1)]),
        conversion(FORWARD.replace(co_consts=("y",)), call=1, resets=1, graphs=[graph(5, 1)]),
    ]
    calls = [call(0, 0, 1, conversions=tuple(first)), call(1, 2, 3, 4, conversions=tuple(again))]
    for seen in (assembled(calls), assembled(calls)):  # of a watch that is read while it is open
        assert (seen.graphs, seen.captured_ops, seen.smallest_graph_ops) == (6, 10, 1)
        assert (seen.recompiles, [entry.kind for entry in seen.timeline]) == (0, ["compile"] * 2)


def test_what_a_reset_left_uncompiled_is_no_rebuild() -> None:
    """The first try before it made no graph that served; other threads' calls stand first."""
    left = conversion(FORWARD, outcome=Outcome(raised=True), graphs=[graph(0, 5)])
    made = conversion(FORWARD, call=1, resets=1, graphs=[graph(1, 4)])
    seen = assembled([call(0, conversions=(left,)), call(1, 1, conversions=(made,))])
    assert seen.captured_ops == 9
    late = conversion(FORWARD, resets=1, graphs=[graph(0, 5)])
    early = conversion(FORWARD, call=1, graphs=[graph(1, 4)])
    seen = assembled([call(0, 0, conversions=(late,)), call(1, 1, conversions=(early,))])
    assert seen.captured_ops == 4


def test_the_other_way_of_a_branch_is_no_rebuild_after_a_reset() -> None:
    """What torch resumes on each way has one name."""
    one, other = (resumed("forward", 12).replace(co_code=way) for way in _ways(FORWARD))
    before = conversion(one, graphs=[graph(0, 3)])
    again = conversion(one, call=1, resets=1, graphs=[graph(1, 3)])
    new = conversion(other, call=1, resets=1, graphs=[graph(2, 2)])
    calls = [call(0, 0, conversions=(before,)), call(1, 1, 2, conversions=(again, new))]
    seen = assembled(calls)
    assert (seen.captured_ops, seen.smallest_graph_ops) == (5, 2)
    assert not any("reset" in problem for problem in seen.problems)


def _ways(of: CodeType) -> tuple[bytes, bytes]:
    """Bytes of the code, and of what begins with an instruction that does nothing."""
    return of.co_code, bytes([opmap["NOP"], 0]) + of.co_code


def test_a_compile_that_came_to_nothing_adds_no_operations_after_a_reset() -> None:
    before = conversion(FORWARD, graphs=[graph(0, 4)])
    raised = Outcome(raised=True)
    failed = conversion(FORWARD, call=1, resets=1, outcome=raised, graphs=[graph(1, 4)])
    seen = assembled([call(0, 0, conversions=(before,)), call(1, conversions=(failed,))])
    assert (seen.graphs, seen.captured_ops) == (2, 4)


def test_a_graph_compiled_once_more_as_it_ran_is_no_fallback() -> None:
    root = conversion(FORWARD, graphs=[graph(0, 5)], region=region(0, FORWARD))
    variant = conversion(
        FORWARD,
        call=1,
        outcome=Outcome(),
        variant_of=0,
        region=region(0, FORWARD),
        graphs=[graph(1, 5, rebuild=True)],
    )
    seen = assembled([call(0, 0, conversions=(root,)), call(1, 0, conversions=(variant,))])
    assert [entry.kind for entry in seen.timeline] == ["compile", "compile"]
    assert (seen.graphs, seen.captured_ops, seen.recompiles, seen.fallbacks) == (2, 5, 0, ())


def test_a_graph_that_failed_to_compile_once_more_is_an_error_of_the_compiler() -> None:
    variant = conversion(FORWARD, outcome=Outcome(raised=True), variant_of=0)
    (entry,) = assembled([call(0, 0, conversions=(variant,), error="ValueError: no")]).timeline
    assert (entry.kind, entry.failed_to_compile) == ("error", True)


def test_nothing_seen() -> None:
    seen = assembled([])
    assert (seen.graphs, seen.captured_ops, seen.smallest_graph_ops) == (0, 0, None)
    assert (seen.timeline, seen.break_sites, seen.fallbacks) == ((), (), ())
    assert seen.problems == ("a trouble",)


def test_breaks_and_fallbacks_are_found() -> None:
    root = conversion(
        FORWARD, graphs=[graph()], breaks=[broke(at(12, 3), text=titled("print", "GB0059"))]
    )
    limit = conversion(OTHER_FORWARD, call=1, outcome=LIMIT, had_entries=True)
    seen = assembled(
        [call(0, 0, conversions=(root,)), call(1, conversions=(limit,)), call(2, unanswered=1)]
    )
    assert [(site.line, site.gb_id) for site in seen.break_sites] == [(12, "GB0059")]
    assert [(f.kind, f.calls, f.line) for f in seen.fallbacks] == [("recompile_limit", (1, 2), 30)]
