from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from report.values import (
    assumed_sizes,
    change,
    entry,
    fallback,
    fixed_size,
    observation,
    recompile,
    site,
)

from pytest_compilecheck.contract.bounds import Bound
from pytest_compilecheck.contract.faults import Place
from pytest_compilecheck.contract.model import Contract
from pytest_compilecheck.contract.read import read_contract
from pytest_compilecheck.contract.trace.model import Step, Trace
from pytest_compilecheck.judge.judge import judge
from pytest_compilecheck.observe.assembly.doubtful import with_doubts
from pytest_compilecheck.observe.values.doubt import Doubt
from pytest_compilecheck.observe.values.observation import Observation
from pytest_compilecheck.report.suggested.seen_bounds import SeenBound, seen_bounds

TORCH = "2.13.0"
AUTOMATIC = change(automatic_dynamic=True)


def bounds(
    seen: Observation, contract: Contract | None = None, **more: Any
) -> dict[str, SeenBound]:
    made = seen_bounds(contract or Contract(), seen, TORCH, **more)
    found = {bound.name: bound for bound in made}
    assert len(found) == len(made)
    return found


def holding(made: dict[str, SeenBound], contract: Contract) -> Contract:
    """The contract that a person makes of the bounds."""
    fields = {name: bound.value for name, bound in made.items() if bound.value is not None}
    read = read_contract(
        [(fields, Place("it.yaml", 1, "contract file"))],
        subject="it",
        arguments=None,
        fixtures=None,
        compile_keywords=(),
        torch_version=TORCH,
    )
    return replace(contract, **{name: getattr(read, name) for name in fields})


def test_a_model_that_compiles_whole() -> None:
    made = bounds(observation(graphs=1, captured_ops=41))
    assert {name: bound.value for name, bound in made.items()} == {
        "max_graph_breaks": 0,
        "max_recompiles": 0,
        "max_graphs": 1,
        "max_graph_launches_per_call": 2,
        "min_hit_rate": 0.5,
    }
    assert made["max_graph_breaks"].why == "no graph break was seen"
    assert made["min_hit_rate"].why == "2 calls: 1 compile, 1 hit"
    assert made["max_graphs"].why == "with 41 operations in those that are no rebuilds"


def test_a_hit_rate_by_count_says_so() -> None:
    timeline = (entry(0, "compile", weight=3021), entry(1, weight=3021), entry(2, weight=77))
    rate = bounds(observation(timeline=timeline))["min_hit_rate"]
    assert rate.value == 0.506  # (3021 + 77) of 6119, and not two of three
    assert rate.why == ("3 calls: 1 compile, 2 hit, each call weighted by the count of its step")


def test_breaks_are_excused_one_by_one() -> None:
    foreign = "/home/me/lib/python3.11/site-packages/lib/attention.py"
    made = bounds(
        observation(
            break_sites=(
                site(),
                site(line=20),
                site(owner="third_party", file=foreign, function="sdpa"),
            )
        )
    )
    assert made["max_graph_breaks"].value == 0
    assert made["max_graph_breaks"].why == "3 graph breaks were seen, which allow_breaks excuses"
    because = "as it was when the contract was written"
    assert made["allow_breaks"].value == [
        {
            "gb_id": "GB0170",
            "file": "model/mlp.py",
            "function": "inner",
            "because": because,
        },
        {
            "gb_id": "GB0170",
            "file": "*/lib/attention.py",
            "function": "sdpa",
            "because": because,
        },
    ]
    (first, second), (third,) = made["allow_breaks"].notes
    assert first.startswith("model/mlp.py:14:8 in inner: Data-dependent branching (GB0170); 3 even")
    assert second.startswith("model/mlp.py:20:8 in inner")
    assert third.startswith("lib/attention.py:14:8 in sdpa (third-party code)")


def test_rebuilds_are_excused_by_what_changed() -> None:
    step = change(cause="python_value", holder="module", source="self.step", expected="1")
    made = bounds(
        observation(
            recompiles=3,
            recompile_events=(
                recompile(changes=(AUTOMATIC,)),
                recompile(call=2, changes=(replace(step, actual="2"),)),
                recompile(call=3, changes=(replace(step, expected="2", actual="3"),)),
            ),
        )
    )
    assert made["max_recompiles"].value == 0
    assert made["max_recompiles"].why == "3 recompiles were seen, which allow_recompiles excuses"
    because = "as it was when the contract was written"
    assert made["allow_recompiles"].value == [
        "automatic_dynamic",
        {
            "source": "self.step",
            "file": "model/mlp.py",
            "function": "forward",
            "because": because,
        },
    ]
    assert made["allow_recompiles"].notes == (
        ("call 1: x.size(1): 128 -> 129 (shape, argument, automatic dynamic)",),
        ("calls 2, 3: self.step: 1 -> 2 -> 3 (python_value, module)",),
    )


def test_what_no_exception_can_name_is_counted() -> None:
    nameless = change(cause="other", source="", expected="", actual="")
    made = bounds(
        observation(
            break_sites=(site(), site(gb_id="GB1", function="odd"), site(gb_id=None, reason="")),
            recompiles=1,
            recompile_events=(recompile(changes=(nameless,)),),
        )
    )
    assert made["max_graph_breaks"].value == 2
    assert made["max_graph_breaks"].why == "3 graph breaks were seen"
    assert made["max_recompiles"].value == 1
    assert "allow_recompiles" not in made


def test_fallbacks_are_excused_and_nothing_compiled_is_not() -> None:
    third = "/opt/site-packages/lib/a.py"
    made = bounds(observation(fallbacks=(fallback(), fallback(kind="skipped_frame", file=third))))
    because = "as it was when the contract was written"
    assert made["allow_fallbacks"].value == [
        {
            "kind": "recompile_limit",
            "file": "model/mlp.py",
            "function": "forward",
            "because": because,
        },
        {
            "kind": "skipped_frame",
            "file": "*/lib/a.py",
            "function": "forward",
            "because": because,
        },
    ]
    assert made["allow_fallbacks"].notes[0] == (
        "calls 8-10: torch's limit of rebuilds is reached, model/mlp.py:9 in forward",
    )
    assert "allow_fallbacks" not in bounds(
        observation(fallbacks=(fallback(kind="nothing_compiled"),))
    )


def test_an_unknown_figure_has_no_bound() -> None:
    made = bounds(observation(timeline=(entry(0, "compile"), entry(1, "recompile"))))
    assert made["max_graph_launches_per_call"].value is None
    assert made["max_graph_launches_per_call"].why == (
        "unknown, so without a bound (2 calls: 1 recompile, 1 compile)"
    )
    assert "min_hit_rate" not in made  # 0 would hold nothing


def test_kernels_are_bounded_where_inductor_makes_them() -> None:
    seen = observation(timeline=(entry(0, "compile", kernels=3), entry(1, kernels=3)))
    assert "max_kernels" not in bounds(seen)
    inductor = Contract(backend="inductor")
    assert bounds(seen, inductor)["max_kernels"].value == 3
    assert bounds(observation(), inductor)["max_kernels"].value is None


def test_a_share_is_never_rounded_up() -> None:
    seen = observation(timeline=(entry(0, "compile"), entry(1), entry(2)))
    assert bounds(seen)["min_hit_rate"].value == 0.666


def test_what_was_given_stays() -> None:
    seen = observation(break_sites=(site(),), recompiles=1, recompile_events=(recompile(),))
    made = bounds(seen, given={"max_graphs", "allow_breaks"})
    assert "max_graphs" not in made
    assert "allow_breaks" not in made
    assert made["max_graph_breaks"].value == 1
    assert made["max_recompiles"].value == 0


def steps(*sizes: int) -> Trace:
    named: dict[str, tuple[str | None, ...]] = {"x": ("B", "S")}
    return Trace(
        tuple(
            Step(index=at, dims={"B": 8, "S": size}, named=named) for at, size in enumerate(sizes)
        )
    )


def test_a_dim_that_became_a_symbol_is_held_to_it() -> None:
    seen = observation(
        recompiles=1,
        recompile_events=(recompile(changes=(AUTOMATIC,)),),
        timeline=(entry(0, "compile"), entry(1, "recompile"), entry(2)),
        assumed_sizes=(assumed_sizes(sizes={"x": (8, 128)}), assumed_sizes(call=1)),
    )
    made = bounds(seen, Contract(trace=steps(128, 129, 256)))
    assert made["dynamic_dims"].value == ["S"]
    told = "3 sizes of S, 2 graphs: torch made S a symbol in call 1"
    assert made["dynamic_dims"].why == told
    assert "dynamic_dims" not in bounds(seen, Contract(trace=steps(128, 128, 128)))


FIXED = (
    "2 sizes of S, 2 graphs; the dim S is not dynamic: the graph of call 1 holds x.size(1) at 129,"
    " because model/mlp.py:12 makes a number of it: for i in range(x.shape[1]):"
)
UNKNOWN = (
    "2 sizes of S, 2 graphs; whether the dim S is dynamic is unknown: no compiled function takes a"
    " tensor that has it"
)


def test_a_dim_that_is_no_symbol_is_told_of() -> None:
    contract = Contract(trace=steps(128, 129))
    graph = assumed_sizes(call=1, sizes={"x": (8, 129)})
    fixed = observation(assumed_sizes=(graph,), fixed_sizes=(fixed_size(),))
    for seen, why in ((fixed, FIXED), (observation(), UNKNOWN)):
        bound = bounds(seen, contract)["dynamic_dims"]
        assert (bound.value, bound.why) == (None, why)


NAMES = st.sampled_from(["", "forward", "inner[0]", "a*b"])
SITES = st.builds(
    lambda function, gb_id, owner, reason: site(
        function=function, gb_id=gb_id, owner=owner, reason=reason
    ),
    NAMES,
    st.sampled_from([None, "GB0170", "bad"]),
    st.sampled_from(["own", "third_party", "torch"]),
    st.sampled_from(["", "Data-dependent branching"]),
)
CHANGES = st.builds(
    lambda source, automatic: change(source=source, automatic_dynamic=automatic),
    st.sampled_from(["", "x.size(1)", "d['[a]']", "<result of line 8: y>"]),
    st.booleans(),
)
EVENTS = st.builds(
    lambda call, function, changes: recompile(
        call=call, function=function, changes=tuple(changes), code_object=len(function)
    ),
    st.integers(1, 3),
    NAMES,
    st.lists(CHANGES, min_size=1, max_size=2),
)
KINDS = ["compile", "recompile", "hit", "fallback"]


@settings(deadline=None)
@given(
    st.lists(SITES, max_size=4),
    st.lists(EVENTS, max_size=4),
    st.lists(st.sampled_from(KINDS), min_size=1, max_size=7),
    st.integers(1, 9),
)
def test_the_bounds_hold_what_was_seen_and_no_more(
    sites: list[Any], events: list[Any], kinds: list[str], graphs: int
) -> None:
    seen = observation(
        break_sites=tuple(sites),
        recompiles=len(events),
        recompile_events=tuple(events),
        timeline=tuple(entry(call, kind) for call, kind in enumerate(kinds)),
        graphs=graphs,
    )
    made = bounds(seen)
    contract = holding(made, Contract())
    assert judge(contract, seen, TORCH, strict=True).violations == ()
    for name, bound in made.items():
        if name.startswith("max_") and bound.value:
            tighter = replace(contract, **{name: Bound(bound.value - 1)})  # type: ignore[operator]
            assert [each.bound for each in judge(tighter, seen, TORCH).violations] == [name]
    rate = made.get("min_hit_rate")
    if rate is not None:
        assert isinstance(rate.value, float)
        assert math.isclose(rate.value, seen.hit_rate or 0, abs_tol=0.001)


def test_no_bound_is_proposed_for_what_is_unknown() -> None:
    doubt = Doubt(("graph_breaks", "recompiles", "graphs"), "torch told of none")
    made = bounds(with_doubts(observation(), (doubt,)))
    unknown = {"max_graph_breaks", "max_recompiles", "max_graphs"}
    assert {made[name].value for name in unknown} == {None}
    assert made["max_graph_breaks"].why.startswith("unknown")
