from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judge.verdicts import TORCH, UNBOUNDED, broken, judged
from report.values import (
    entry,
    fallback,
    fragile,
    frame,
    observation,
    opaque,
    recompile,
    site,
)

from pytest_compilecheck.contract.allow import Allowance
from pytest_compilecheck.contract.bounds import Bound, BoundError
from pytest_compilecheck.contract.model import Contract
from pytest_compilecheck.judge.judge import judge
from pytest_compilecheck.observe.values.observation import KernelUse, Mismatch

TWO_RECOMPILES = (
    recompile(call=1, code_object=0),
    recompile(call=1, code_object=1),
    recompile(call=3, code_object=0),
)

# The custom operator is an opaque one already; what is generated is not opaque.
KERNELS = (
    KernelUse(name="cpp_fused_add_0", kind="generated", launches=5),
    KernelUse(name="mm", kind="extern", launches=2),
    KernelUse(name="aten.sort.stable", kind="fallback", launches=1),
    KernelUse(name="lib.scale.default", kind="fallback", launches=1),
)

# Each bound with an observation, the figure it bounds and the kind of bound.
FIGURES: list[tuple[str, dict[str, Any], float]] = [
    ("max_graph_breaks", {"break_sites": (site(), site(line=15))}, 2),
    ("max_recompiles", {"recompile_events": TWO_RECOMPILES}, 2),
    ("max_graphs", {"graphs": 5}, 5),
    (
        "max_graph_launches_per_call",
        {
            "timeline": (
                entry(0, "compile", graph_launches=9),
                entry(1, graph_launches=2),
                entry(2, "fallback", graph_launches=3),
            )
        },
        3,
    ),
    ("min_hit_rate", {"timeline": (entry(0, "compile"), entry(1, weight=3))}, 0.75),
    ("min_captured_ops", {"captured_ops": 41}, 41),
    ("max_opaque_ops", {"opaque_ops": (opaque(calls=2), opaque(line=20))}, 3),
    (
        "max_opaque_ops",
        {"opaque_ops": (opaque(name="lib.scale.default"),), "kernels": KERNELS},
        1 + 2 + 1,
    ),
    (
        "max_kernels",
        {
            "timeline": (
                entry(0, "compile", kernels=9),
                entry(1, kernels=2),
                entry(2, kernels=3),
                entry(3, "fallback", graph_launches=0),
            )
        },
        3,
    ),
    ("max_memory_growth", {"memory_growth": 4096}, 4096),
    ("max_fragile_guards", {"fragile_guards": (fragile(), fragile(source="n"))}, 2),
    ("min_ops_per_graph", {"smallest_graph_ops": 3}, 3),
    (
        "max_compile_seconds",
        {"timeline": (entry(0, "compile", compile_seconds=1.5), entry(1, compile_seconds=0.25))},
        1.75,
    ),
]


@pytest.mark.parametrize(("bound", "seen", "figure"), FIGURES, ids=[row[0] for row in FIGURES])
def test_a_bound_holds_up_to_its_figure_and_not_beyond(
    bound: str, seen: dict[str, Any], figure: float
) -> None:
    made = observation(**seen)
    worse, better = (figure - 1, figure + 1) if bound.startswith("max") else (figure + 1, 0)
    assert judged(made, **{bound: None}).holds
    assert judged(made, **{bound: figure}).holds
    assert judged(made, **{bound: better}).holds
    (violation,) = judged(made, **{bound: worse}).violations
    assert (violation.bound, violation.allowed, violation.observed) == (bound, worse, figure)


@pytest.mark.parametrize(
    ("bound", "seen"),
    [
        ("max_graph_launches_per_call", {"timeline": (entry(0, "compile"), entry(1, "error"))}),
        ("min_hit_rate", {"timeline": ()}),
        ("min_ops_per_graph", {"smallest_graph_ops": None}),
        ("max_recompiles_after_warmup", {"timeline": (entry(0), entry(1))}),
    ],
)
@pytest.mark.parametrize("number", [0, 1, 10**6])
def test_a_bound_on_what_is_not_known_is_violated(
    bound: str, seen: dict[str, Any], number: int
) -> None:
    (violation,) = judged(observation(**seen), **{bound: number}, warmup_calls=2).violations
    assert (violation.bound, violation.observed) == (bound, None)
    assert ": unknown, " in violation.message


def test_the_bounds_of_a_contract_without_any_are_no_breaks_and_no_recompiles() -> None:
    seen = observation(break_sites=(site(),), recompile_events=(recompile(),))
    assert broken(judge(Contract(), seen, TORCH)) == ["max_graph_breaks", "max_recompiles"]
    assert judge(Contract(), observation(), TORCH).holds


def test_after_warmup_later_calls_count() -> None:
    seen = observation(
        recompile_events=TWO_RECOMPILES, timeline=tuple(entry(call) for call in range(4))
    )
    for warmup_calls, figure in ((1, 2), (2, 1), (3, 1)):
        found = judged(seen, max_recompiles_after_warmup=0, warmup_calls=warmup_calls)
        assert [violation.observed for violation in found.violations] == [figure]
    calm = dataclasses.replace(seen, recompile_events=TWO_RECOMPILES[:2])
    assert judged(calm, max_recompiles_after_warmup=0, warmup_calls=2).holds


@given(st.integers(min_value=1, max_value=10**9), st.integers(min_value=1, max_value=10**4))
def test_a_share_is_not_rounded_up_to_its_bound(hits: int, others: int) -> None:
    seen = observation(timeline=(entry(0, "compile", weight=others), entry(1, weight=hits)))
    assert not judged(seen, min_hit_rate=1).holds


def test_seconds_are_not_rounded_down_to_their_bound() -> None:
    seen = observation(timeline=(entry(0, "compile", compile_seconds=1.0002),))
    assert not judged(seen, max_compile_seconds=1).holds


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"max_graphs": 1}, "compiled graphs: 1234567, at most 1 allowed"),
        ({"min_hit_rate": 0.9}, "share of calls that are hits: 0.5, at least 0.9 required"),
    ],
)
def test_a_message_tells_the_figure_and_the_bound(fields: dict[str, Any], message: str) -> None:
    (violation,) = judged(observation(graphs=1234567), **fields).violations
    assert violation.message == message


def test_bounds_for_ranges_of_torch() -> None:
    contract = Contract(max_graph_breaks=Bound((("<2.13", 1), (">=2.14", 0))))
    seen = observation(break_sites=(site(),))
    assert judge(contract, seen, "2.8.0").holds
    assert not judge(contract, seen, "2.15.0").holds
    with pytest.raises(BoundError):
        judge(contract, seen, "2.13.0")


# What makes every other figure meaningless.


NOTHING = observation(graphs=0, timeline=(entry(0, "fallback", graph_launches=0),))


def test_nothing_compiled_can_never_pass() -> None:
    everything = tuple(
        Allowance(kind="fallback", because="x", fallback_kind=kind)
        for kind in ("nothing_compiled", "skipped_frame", "disabled")
    )
    assert broken(judged(NOTHING)) == ["nothing_compiled"]
    assert broken(judged(NOTHING, allow_fallbacks=everything)) == ["nothing_compiled"]


def test_graphs_of_before_the_watch_are_compiled_too() -> None:
    assert judged(observation(graphs=0, timeline=(entry(0, graph_launches=1),))).holds


def test_a_region_known_to_be_empty_is_no_better_for_the_graphs_of_another() -> None:
    empty = fallback(kind="nothing_compiled")
    seen = observation(graphs=0, timeline=(entry(0, graph_launches=1),), fallbacks=(empty,))
    assert broken(judged(seen, allow_fallbacks=(Allowance(kind="fallback", because="x"),))) == [
        "nothing_compiled"
    ]


def test_a_break_that_raised_says_all_that_there_is_to_say() -> None:
    raised = {"graphs": 0, "timeline": (entry(0, "error", graph_launches=0),)}
    with_break = observation(**raised, break_sites=(site(),))
    assert broken(judged(with_break, max_graph_breaks=0)) == ["max_graph_breaks"]
    assert broken(judged(with_break, max_graph_breaks=1)) == ["nothing_compiled"]
    assert broken(judged(observation(**raised), max_graph_breaks=0)) == ["nothing_compiled"]


def test_an_incomplete_watch_is_violated_by_itself() -> None:
    verdict = judged(observation(problems=("guards unseen", "another")))
    assert broken(verdict) == ["problems"]
    assert "guards unseen; another" in verdict.violations[0].message


@pytest.mark.parametrize(
    "kind", ["disabled", "recompile_limit", "suppressed_error", "skipped_frame"]
)
def test_a_fallback_is_a_violation(kind: str) -> None:
    verdict = judged(observation(fallbacks=(fallback(kind=kind), fallback(kind=kind, line=3))))
    (violation,) = verdict.violations
    assert (violation.bound, violation.allowed, violation.observed) == ("fallback", 0, 2)
    assert f"({kind})" in violation.message


def test_what_makes_figures_meaningless_comes_first() -> None:
    seen = dataclasses.replace(
        NOTHING,
        problems=("a trouble",),
        break_sites=(site(),),
        fallbacks=(fallback(),),
        recompile_events=(recompile(),),
    )
    assert broken(judge(Contract(), seen, TORCH)) == [
        "problems",
        "nothing_compiled",
        "max_graph_breaks",
        "fallback",
        "max_recompiles",
    ]


def test_fragile_guards_that_are_not_known_fail_their_bound() -> None:
    (violation,) = judged(observation(fragile_guards=None), max_fragile_guards=9).violations
    assert (violation.bound, violation.observed) == ("max_fragile_guards", None)


@pytest.mark.parametrize("kernels", [(None, 3), (3, None), (None,)])
def test_kernels_of_a_warm_call_that_are_not_known_fail_their_bound(
    kernels: tuple[int | None, ...],
) -> None:
    timeline = tuple(entry(call, kernels=count) for call, count in enumerate(kernels))
    (violation,) = judged(observation(timeline=timeline), max_kernels=9).violations
    assert (violation.bound, violation.observed) == ("max_kernels", None)


def test_opaque_operators_in_code_that_cannot_be_read_are_unknown() -> None:
    (violation,) = judged(observation(kernels=None), max_opaque_ops=9).violations
    assert (violation.bound, violation.observed) == ("max_opaque_ops", None)


def test_every_bound_of_a_contract_is_judged() -> None:
    """A bound that no check looks at would hold whatever happens."""
    bounds = [
        field.name
        for field in dataclasses.fields(Contract)
        if isinstance(getattr(UNBOUNDED, field.name), Bound)
    ]
    covered = {bound for bound, _, _ in FIGURES} | {"max_recompiles_after_warmup"}
    assert set(bounds) == covered


@pytest.mark.parametrize(
    ("allowed", "observed"), [(0, 1), (1, None), (2, "holds"), (None, "holds")]
)
def test_earlier_breaks_are_one_at_least_and_one_for_each_place_at_most(
    allowed: int | None, observed: object
) -> None:
    places = (frame(line=3), frame(line=9))
    verdict = judged(observation(earlier_breaks=places), max_graph_breaks=allowed)
    found = [violation.observed for violation in verdict.violations]
    assert found == ([] if observed == "holds" else [observed])


@pytest.mark.parametrize("earlier", [{"warm_graphs": 1}, {"earlier_codes": 1}])
def test_figures_of_captured_graphs_are_unknown_in_a_warm_start(earlier: dict[str, int]) -> None:
    warm = observation(**earlier)
    bounds = {"min_captured_ops": 1, "min_ops_per_graph": 1, "max_opaque_ops": 0}
    verdict = judged(warm, **bounds, max_fragile_guards=0, check_custom_ops=True)
    found = {violation.bound: violation.observed for violation in verdict.violations}
    assert found == dict.fromkeys([*bounds, "max_fragile_guards", "check_custom_ops"])


def test_an_unsound_operator_is_a_violation_only_where_it_was_asked() -> None:
    faulty = opaque(faults=("test_schema: it mutates x",))
    seen = observation(opaque_ops=(faulty, opaque(name="lib.other.default", faults=())))
    assert judged(seen).holds
    (violation,) = judged(seen, check_custom_ops=True).violations
    assert violation.message == (
        "the operator lib.scale.default is not sound: test_schema: it mutates x"
    )


@pytest.mark.parametrize(("compared", "observed"), [(True, 2), (False, None)])
def test_steps_that_differ_from_eager_are_a_violation(compared: bool, observed: object) -> None:
    steps = tuple(
        Mismatch(step=step, pass_=0, difference="output: 1 / 6", compared=compared)
        for step in (1, 3)
    )
    seen = observation(mismatches=steps)
    assert judged(seen).holds
    (violation,) = judged(seen, match_eager=True).violations
    assert (violation.bound, violation.observed) == ("match_eager", observed)
    assert "step 1, pass 0" in violation.message
