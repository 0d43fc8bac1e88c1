from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
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
    reasons,
    region,
    resumed,
    skipped,
    titled,
)

from pytest_compilecheck.observe.assembly.fallbacks import (
    FallbackFinder,
    conversion_fallback,
    ran_eagerly,
)
from pytest_compilecheck.observe.events import Outcome
from pytest_compilecheck.observe.recording.conversion import Call, Conversion, Graph
from pytest_compilecheck.observe.values.observation import Fallback

FORWARD = code("forward")
ROOT = region(0, FORWARD)
HELPER, LIBRARY_HELPER = code("helper", line=30), code("helper", file=LIBRARY)
REST = "then skipping the rest of the function"
PRINT = broke(at(12, 8), text=titled("print", "GB0059"))


def find(
    *conversions: Conversion, eager: tuple[Call, ...] = (), graphs: tuple[Graph, ...] = (graph(),)
) -> list[Fallback]:
    return FallbackFinder(OWNERSHIP).find(conversions, eager, graphs)


def kind(made: Conversion) -> str | None:
    return conversion_fallback(made, OWNERSHIP)


# Which kind one frame is.


@pytest.mark.parametrize(
    "made",
    [
        conversion(FORWARD, region=ROOT),
        conversion(FORWARD, breaks=[PRINT]),
        skipped(FORWARD, "skip_file", region=ROOT),
        conversion(FORWARD, region=ROOT, outcome=Outcome(raised=True), errors=[error()]),
        # Nothing was lost: looked at, and found without work.
        skipped(HELPER, "no_ops"),
        skipped(HELPER, "no_tensors"),
        skipped(resumed("forward", 12), "no_ops", reaches_tensor=True),
        skipped(resumed("forward", 12), "no_tensors", reaches_tensor=False),
        skipped(resumed("forward", 12, file=LIBRARY), "no_tensors", reaches_tensor=True),
        skipped(HELPER, "disabled"),
        skipped(code("log", file=LIBRARY), "error", errors=[error(soft=True)]),
        skipped(code("step", file=OPTIMIZER), "error", errors=[error()], reaches_tensor=True),
    ],
)
def test_no_fallback(made: Conversion) -> None:
    assert kind(made) is None


OWN_WORK = code("torch_dynamo_resume_in_forward_at_12", body="x = x + 1")
NO_WORK = code("torch_dynamo_resume_in_forward_at_12", body="x")
GENERATOR = code("forward", body="yield x")


@pytest.mark.parametrize(
    "made",
    [
        # The region's root and code that had graphs, whatever the reason.
        skipped(FORWARD, "no_ops", region=ROOT),
        skipped(FORWARD, "dispatch_mode", region=ROOT),
        skipped(HELPER, "no_tensors", had_entries=True),
        skipped(code("step", file=OPTIMIZER), "error", had_entries=True),
        # What failed.
        skipped(HELPER, "error", errors=[error(soft=True)]),
        skipped(HELPER, "error", breaks=[PRINT]),
        skipped(GENERATOR, "error"),
        skipped(LIBRARY_HELPER, "error", errors=[error()], reaches_tensor=True),
        # A resume function whose tensors torch overlooks.
        skipped(OWN_WORK, "no_tensors", reaches_tensor=True),
        # The rest of a function without a resume function.
        conversion(FORWARD, unresumed=[broke(at(12))]),
        conversion(FORWARD, breaks=[broke(at(12), text=REST)]),
    ],
)
def test_skipped_frame(made: Conversion) -> None:
    assert kind(made) == "skipped_frame"


def test_a_resume_function_that_only_hands_on_is_none() -> None:
    assert kind(skipped(NO_WORK, "no_tensors", reaches_tensor=True)) is None


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"skip": "disabled", "at_limit": True, "errors_suppressed": True}, "disabled"),
        ({"at_limit": True, "errors_suppressed": True}, "recompile_limit"),
        ({"skip": "error", "errors_suppressed": True}, "suppressed_error"),
        ({"skip": "error"}, "skipped_frame"),
    ],
)
def test_the_first_kind_that_applies_counts(fields: dict[str, Any], expected: str) -> None:
    made = conversion(FORWARD, region=ROOT, errors=[error()], outcome=Outcome(**fields))
    assert kind(made) == expected


def test_what_torch_always_swallows_is_no_suppressed_error() -> None:
    outcome = Outcome(skip="error", errors_suppressed=True)
    assert kind(conversion(HELPER, errors=[error(soft=True)], outcome=outcome)) == "skipped_frame"


# The fallbacks of a watch.


def test_each_frame_is_one_fallback_with_its_calls() -> None:
    limit = Outcome(at_limit=True)
    made = [
        conversion(
            FORWARD,
            call=3,
            outcome=limit,
            reasons=reasons("n == 2    # return x * n  # model.py:11 in forward\nx", "n == 1"),
        ),
        skipped(HELPER, "error", call=1, errors=[error("Unsupported: no", soft=True)]),
        conversion(FORWARD, call=1, outcome=limit, reasons=reasons("n == 1")),
        skipped(HELPER, "error", call=None, errors=[error("Unsupported: other", soft=True)]),
    ]
    assert find(*made) == [
        Fallback(
            kind="recompile_limit",
            calls=(1, 3),
            function="forward",
            file="model.py",
            line=10,
            reason="the recompile limit is reached; last guard that failed: n == 2",
        ),
        Fallback(
            kind="skipped_frame",
            calls=(1,),
            function="helper",
            file="model.py",
            line=30,
            reason=(
                "tracing ended with Unsupported: no; from this call on torch does not try it again"
            ),
        ),
    ]


def test_equal_codes_of_two_files_are_two_functions() -> None:
    copies = [code("forward", file=file) for file in ("/project/a.py", "/project/b.py")]
    assert copies[0] == copies[1]
    found = find(*(skipped(copy, "error", errors=[error()]) for copy in copies))
    assert [fallback.file for fallback in found] == ["a.py", "b.py"]


@pytest.mark.parametrize(
    ("made", "part"),
    [
        (skipped(FORWARD, "no_ops", had_entries=True), "its compiled graphs are not used any more"),
        (skipped(FORWARD, "no_ops", region=ROOT), "there is no tensor operation in it"),
        (skipped(GENERATOR, "error", errors=[error()]), "does not compile generator functions"),
        (skipped(HELPER, "error", breaks=[PRINT]), "from which torch cannot resume"),
        (
            conversion(
                HELPER,
                outcome=Outcome(skip="error", errors_suppressed=True),
                errors=[error("Unsupported: a", soft=True), error("KeyError: b")],
            ),
            "hid KeyError: b",
        ),
        (
            conversion(FORWARD, region=ROOT, outcome=Outcome(skip="other", skip_text="exec()")),
            "exec()",
        ),
        (skipped(FORWARD, "other", region=ROOT), "gives no reason"),
        (conversion(FORWARD, unresumed=[broke(at(12))]), "left the rest to Python"),
        (skipped(FORWARD, "disabled", region=ROOT), "config.disable is on"),
    ],
)
def test_the_reason(made: Conversion, part: str) -> None:
    (fallback,) = find(made)
    assert part in fallback.reason


def test_without_any_graph_a_region_without_work_is_nothing_compiled() -> None:
    (fallback,) = find(skipped(FORWARD, "no_ops", region=ROOT), graphs=())
    assert (fallback.kind, fallback.function, fallback.calls) == (
        "nothing_compiled",
        "forward",
        (0,),
    )


def test_beside_graphs_a_region_without_work_is_a_skipped_frame() -> None:
    (fallback,) = find(skipped(FORWARD, "no_ops", region=ROOT))
    assert fallback.kind == "skipped_frame"


def test_a_frame_that_stopped_at_a_break_is_skipped_graphs_or_not() -> None:
    (fallback,) = find(skipped(FORWARD, "error", region=ROOT, breaks=[PRINT]), graphs=())
    assert fallback.kind == "skipped_frame"


# Calls that ran eagerly, and the fallback that explains them.


@pytest.mark.parametrize(
    ("stance", "part"),
    [
        ("disabled", "TORCH_COMPILE_DISABLE"),
        ("force_eager", "set_stance('force_eager')"),
        ("eager_then_compile", "set_stance('eager_then_compile')"),
    ],
)
def test_a_switch_explains_a_call_before_all_else(stance: str, part: str) -> None:
    limit = conversion(FORWARD, call=0, outcome=Outcome(at_limit=True))
    eager = (call(1, stance=stance, unanswered=1), call(2, stance=stance))
    at_limit, disabled = find(limit, eager=eager)
    assert (at_limit.kind, at_limit.calls) == ("recompile_limit", (0,))
    assert (disabled.kind, disabled.function, disabled.calls) == ("disabled", None, (1, 2))
    assert part in disabled.reason


def test_a_switch_inside_explains_its_region_alone() -> None:
    limit = conversion(FORWARD, call=0, outcome=Outcome(at_limit=True))
    eager = (
        call(1, 0, eager_stances=("force_eager",)),
        call(2, 0, eager_stances=("force_eager",), unanswered=1),
        call(3, 0, eager_stances=("eager_then_compile",), stance="eager_on_recompile"),
    )
    found = {(each.kind, each.reason[:48]): each.calls for each in find(limit, eager=eager)}
    assert list(found.values()) == [(0, 2), (1, 2), (3,)]
    assert [kind for kind, _ in found] == ["recompile_limit", "disabled", "disabled"]


def test_what_ran_eagerly_in_a_call_counts_whatever_its_kind() -> None:
    lost = [call(0, 0, unanswered=1), call(0, 0, eager_stances=("force_eager",))]
    for made in lost:
        assert all(ran_eagerly(made, kind) for kind in ("compile", "recompile", "fallback"))
        assert not ran_eagerly(replace(made, error="ValueError"), "error")
    assert ran_eagerly(call(0), "fallback")
    assert not ran_eagerly(call(0, 0), "recompile")


def test_an_unanswered_miss_is_that_of_the_code_at_the_limit() -> None:
    limit = conversion(FORWARD, call=0, outcome=Outcome(at_limit=True))
    (fallback,) = find(limit, eager=(call(1, 0, unanswered=1), call(4, unanswered=2)))
    assert fallback.calls == (0, 1, 4)


def test_with_two_codes_at_the_limit_it_is_not_known_whose() -> None:
    limit = Outcome(at_limit=True)
    made = [conversion(FORWARD, outcome=limit), conversion(HELPER, outcome=limit)]
    third = find(*made, eager=(call(1, unanswered=1),))[2]
    assert (third.kind, third.function, third.calls) == ("recompile_limit", None, (1,))
    assert third.reason.startswith("one of forward, helper is at the recompile limit")


def test_a_limit_reached_before_the_watch() -> None:
    (fallback,) = find(eager=(call(1, unanswered=1), call(2, unanswered=1)))
    assert (fallback.kind, fallback.function, fallback.calls) == ("recompile_limit", None, (1, 2))


def test_a_region_whose_root_was_skipped_stays_eager() -> None:
    other = region(1, HELPER)
    made = [
        skipped(FORWARD, "no_ops", region=ROOT),
        skipped(HELPER, "error", region=other, call=1, errors=[error(soft=True)]),
    ]
    first, second = find(*made, eager=(call(2, region=other), call(3, region=ROOT)))
    assert (first.function, first.calls) == ("forward", (0, 3))
    assert (second.function, second.calls) == ("helper", (1, 2))


def test_a_call_in_which_a_frame_was_skipped_needs_no_other_explanation() -> None:
    made = [
        skipped(of, "error", call=number, errors=[error(soft=True)])
        for number, of in ((1, HELPER), (2, FORWARD))
    ]
    assert [fallback.calls for fallback in find(*made, eager=(call(1),))] == [(1,), (2,)]


def test_the_only_skip_explains_a_later_call_without_a_graph() -> None:
    helper = skipped(HELPER, "error", call=1, errors=[error(soft=True)])
    (fallback,) = find(helper, eager=(call(5),))
    assert fallback.calls == (1, 5)


def test_a_call_that_nothing_explains() -> None:
    (skip,) = find(eager=(call(1),))
    assert (skip.kind, skip.function, skip.calls) == ("skipped_frame", None, (1,))
    (nothing,) = find(eager=(call(1),), graphs=())
    assert (nothing.kind, nothing.function) == ("nothing_compiled", None)
