"""What each violation says: the figure in words, and what to do where the figure is no number."""

from __future__ import annotations

from typing import Any

import pytest
from judge.test_judge import FIGURES, KERNELS
from judge.verdicts import broken, judged
from report.values import (
    assumed_sizes,
    entry,
    fallback,
    fixed_size,
    frame,
    observation,
    opaque,
    site,
)

from pytest_compilecheck.contract.allow import Allowance
from pytest_compilecheck.contract.trace.model import Step, Trace
from pytest_compilecheck.contract.trace.spec import TensorSpec
from pytest_compilecheck.judge.verdict import Violation
from pytest_compilecheck.observe.values.doubt import Doubt
from pytest_compilecheck.observe.values.observation import Mismatch, Observation

MESSAGES = {
    "max_graph_breaks": "graph breaks (sites): 2, at most 1 allowed",
    "max_recompiles": "recompiles: 2, at most 1 allowed",
    "max_graphs": "compiled graphs: 5, at most 4 allowed",
    "max_graph_launches_per_call": "graphs launched by one warm call: 3, at most 2 allowed",
    "min_hit_rate": "share of calls that are hits: 0.75, at least 1.75 required",
    "min_captured_ops": "captured operations: 41, at least 42 required",
    "max_kernels": "kernels launched by one warm call: 3, at most 2 allowed",
    "max_memory_growth": "bytes by which the process grew: 4096, at most 4095 allowed",
    "max_fragile_guards": "fragile guards: 2, at most 1 allowed",
    "min_ops_per_graph": "operations in the smallest graph: 3, at least 4 required",
    "max_compile_seconds": "seconds spent compiling: 1.75, at most 0.75 allowed",
}
SEEN = {bound: (seen, figure) for bound, seen, figure in FIGURES}


@pytest.mark.parametrize("bound", MESSAGES)
def test_each_bound_names_its_figure(bound: str) -> None:
    seen, figure = SEEN[bound]
    number = figure - 1 if bound.startswith("max") else figure + 1
    (violation,) = judged(observation(**seen), **{bound: number}).violations
    assert violation.message == MESSAGES[bound]


def test_calls_of_opaque_operators() -> None:
    (violation,) = judged(observation(kernels=KERNELS), max_opaque_ops=3).violations
    assert violation.message == "calls of opaque operators: 4, at most 3 allowed"


@pytest.mark.parametrize(
    ("warmup_calls", "calls", "message"),
    [
        (None, 0, "recompiles after the first 0 calls: unknown, at most 0 allowed"),
        (3, 2, "recompiles after the first 3 calls: unknown, at most 0 allowed"),
    ],
)
def test_without_a_call_after_warmup_nothing_is_known_of_it(
    warmup_calls: int | None, calls: int, message: str
) -> None:
    seen = observation(timeline=tuple(entry(call) for call in range(calls)))
    verdict = judged(seen, max_recompiles_after_warmup=0, warmup_calls=warmup_calls)
    assert message in [violation.message for violation in verdict.violations]


def test_the_first_call_counts_without_warmup() -> None:
    assert judged(observation(timeline=(entry(0),)), max_recompiles_after_warmup=0).holds


def only(verdict_of: Observation, **fields: Any) -> Violation:
    (violation,) = judged(verdict_of, **fields).violations
    return violation


# What was not compiled.

IDLE = (entry(0, "fallback", graph_launches=0),)


OFF, SKIPPED = fallback(kind="disabled"), fallback(kind="skipped_frame")


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"timeline": IDLE}, ""),
        ({"timeline": IDLE, "fallbacks": (OFF, OFF)}, ": compilation is switched off"),
        ({"timeline": IDLE, "fallbacks": (OFF, SKIPPED)}, ""),
        ({"timeline": ()}, ": the test called nothing that is compiled"),
        (
            {"timeline": (), "uncalled": ("model",)},
            ": model was compiled, and the test never called it",
        ),
        (
            {"timeline": (), "uncalled": ("model", "head")},
            ": model, head were compiled, and the test never called them",
        ),
    ],
)
def test_why_nothing_was_compiled(fields: dict[str, Any], why: str) -> None:
    first = judged(observation(graphs=0, **fields)).violations[0]
    message = f"nothing was compiled{why}"
    assert first == Violation(bound="nothing_compiled", allowed=0, observed=1, message=message)


def test_errors_of_the_compiler_are_counted() -> None:
    failed = [entry(call, "error", failed_to_compile=True) for call in (1, 2)]
    seen = observation(timeline=(entry(0, "compile"), *failed, entry(3, "error")))
    assert only(seen) == Violation(
        bound="error_calls",
        allowed=0,
        observed=2,
        message="2 calls raised an error of the compiler",
    )


UNCALLED = (
    "compiled but never called: head, tail. A method of a compiled module other than forward "
    "(generate, encode) runs uncompiled: compile what it calls, or mark a function that calls "
    "the model"
)
IDLE_STEPS = "nothing compiled was called in step 1, 3 of the trace: leave such steps out"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"uncalled": ("head", "tail")}, UNCALLED),
        ({"idle_steps": (1, 3)}, IDLE_STEPS),
        ({"uncalled": ("head", "tail"), "idle_steps": (1,)}, UNCALLED),
    ],
)
def test_what_is_compiled_must_run_in_each_step(fields: dict[str, Any], message: str) -> None:
    seen = observation(**fields)
    assert only(seen) == Violation(bound="uncalled", allowed=0, observed=2, message=message)
    assert judged(seen, watch_only=True).holds


# What is no bound of a number.


def test_fallbacks_are_told_by_their_kinds_each_once() -> None:
    kinds = ("disabled", "recompile_limit", "disabled", "nothing_compiled")
    verdict = judged(observation(fallbacks=tuple(fallback(kind=kind) for kind in kinds)))
    assert broken(verdict) == ["nothing_compiled", "fallback"]
    assert verdict.violations[1] == Violation(
        bound="fallback",
        allowed=0,
        observed=3,
        message="work ran eagerly without an error (disabled, recompile_limit)",
    )


def test_unknown_fallbacks() -> None:
    seen = observation(doubts=(Doubt(("fallbacks",), "torch told of none"),))
    assert only(seen) == Violation(
        bound="fallback",
        allowed=0,
        observed=None,
        message="work that ran eagerly without an error: unknown, because torch told of none",
        why="torch told of none",
    )


@pytest.mark.parametrize(
    ("steps", "compared", "observed", "message"),
    [
        ((1,), True, 1, "other than the eager run (step 1, pass 0): output: 1 / 6"),
        (
            (1, 3),
            True,
            2,
            "other than the eager run (step 1, pass 0) (and 1 more step): output: 1 / 6",
        ),
        (
            (1, 3, 4),
            True,
            3,
            "other than the eager run (step 1, pass 0) (and 2 more steps): output: 1 / 6",
        ),
        ((1,), False, None, "cannot be compared with an eager run (step 1, pass 0): output: 1 / 6"),
    ],
)
def test_what_differs_from_eager(
    steps: tuple[int, ...], compared: bool, observed: int | None, message: str
) -> None:
    found = tuple(
        Mismatch(step=step, pass_=0, difference="output: 1 / 6", compared=compared)
        for step in steps
    )
    which = (
        "; the first of the backends eager, aot_eager, aot_eager_decomp_partition and inductor that"
        " differs tells the part of the compiler at fault"
    )
    message += which if compared else ""
    assert only(observation(mismatches=found), match_eager=True) == Violation(
        bound="match_eager", allowed=0, observed=observed, message=message
    )


def test_every_unsound_operator_is_told_with_all_its_faults() -> None:
    faulty = (
        opaque(name="lib.scale.default", faults=("it mutates x", "no fake kernel")),
        opaque(name="lib.shift.default", faults=("no fake kernel",)),
    )
    verdict = judged(observation(opaque_ops=faulty), check_custom_ops=True)
    assert verdict.violations == (
        Violation(
            bound="check_custom_ops",
            allowed=0,
            observed=2,
            message="the operator lib.scale.default is not sound: it mutates x; no fake kernel",
            subject="lib.scale.default",
        ),
        Violation(
            bound="check_custom_ops",
            allowed=0,
            observed=1,
            message="the operator lib.shift.default is not sound: no fake kernel",
            subject="lib.shift.default",
        ),
    )


def test_operators_of_graphs_from_before_are_not_known_beside_those_that_are() -> None:
    faulty = opaque(faults=("it mutates x",))
    verdict = judged(observation(opaque_ops=(faulty,), warm_graphs=1), check_custom_ops=True)
    assert [violation.observed for violation in verdict.violations] == [1, None]
    assert verdict.violations[1] == Violation(
        bound="check_custom_ops",
        allowed=0,
        observed=None,
        message="operators of graphs that were compiled before are not known",
    )


def test_unknown_operators() -> None:
    seen = observation(doubts=(Doubt(("opaque_ops",), "torch told of none"),))
    found = only(seen, check_custom_ops=True)
    assert found.message == "custom operators: unknown, because torch told of none"


def test_all_that_the_watch_missed_is_told() -> None:
    assert only(observation(problems=("guards unseen", "another"))) == Violation(
        bound="problems",
        allowed=0,
        observed=2,
        message="the watch was incomplete, so no figure is certain: guards unseen; another",
    )


def test_a_stale_exception_is_named() -> None:
    stale = (Allowance(kind="break", because="known", gb_id="GB0001"),)
    found = only(observation(), strict=True, allow_breaks=stale)
    assert found == Violation(
        bound="stale_exception",
        allowed=0,
        observed=1,
        message="the exception for graph break GB0001 matched nothing: remove it",
    )


# Breaks from before the watch: between one, and one for each place.


@pytest.mark.parametrize(
    ("sites", "earlier", "allowed", "told"),
    [
        (1, 2, 3, "holds"),
        (1, 2, 2, "unknown"),
        (1, 2, 1, "2"),
        (1, 0, 1, "holds"),
        (2, 1, 0, "3"),
    ],
)
def test_earlier_breaks_beside_those_that_were_seen(
    sites: int, earlier: int, allowed: int, told: str
) -> None:
    seen = observation(
        break_sites=tuple(site(line=line) for line in range(sites)),
        earlier_breaks=tuple(frame(line=line) for line in range(earlier)),
    )
    messages = [each.message for each in judged(seen, max_graph_breaks=allowed).violations]
    wanted = f"graph breaks (sites): {told}, at most {allowed} allowed"
    assert messages == ([] if told == "holds" else [wanted])


# Dims that are to be dynamic.

TRACE = Trace(
    tuple(
        Step(
            index=index,
            inputs={"x": TensorSpec(shape=(2, length))},
            dims={"S": length},
            named={"x": ("B", "S")},
        )
        for index, length in enumerate((8, 9))
    )
)


def lengths(**fields: Any) -> Observation:
    timeline = tuple(entry(call, sizes={"x": (2, 8 + call)}) for call in range(2))
    return observation(timeline=timeline, **fields)


def test_a_dim_that_is_not_dynamic_is_named() -> None:
    fixed = fixed_size(call=1, sources=("x.size(1)",), value="9")
    graph = assumed_sizes(call=1, sizes={"x": (2, 9)})
    seen = lengths(assumed_sizes=(graph,), fixed_sizes=(fixed,))
    assert only(seen, dynamic_dims=("S",), trace=TRACE) == Violation(
        bound="dynamic_dims",
        allowed=0,
        observed=1,
        message=(
            "the dim S is not dynamic: the graph of call 1 holds x.size(1) at 9, because "
            "model/mlp.py:12 makes a number of it: for i in range(x.shape[1]):"
        ),
        subject="S",
    )


def test_a_dim_of_which_no_graph_tells_is_unknown() -> None:
    assert only(lengths(), dynamic_dims=("S",), trace=TRACE) == Violation(
        bound="dynamic_dims",
        allowed=0,
        observed=None,
        message=(
            "whether the dim S is dynamic is unknown: no compiled function takes a tensor that "
            "has it"
        ),
    )


def test_a_doubt_about_dims_is_none_about_other_contracts() -> None:
    seen = lengths(doubts=(Doubt(("dynamic_dims",), "torch told of none"),))
    assert judged(seen, trace=TRACE).holds
    assert only(seen, dynamic_dims=("S",), trace=TRACE).message == (
        "which dims are symbols: unknown, because torch told of none"
    )
