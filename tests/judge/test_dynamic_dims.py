from __future__ import annotations

from typing import Any

import pytest
from report.values import (
    assumed_sizes,
    change,
    entry,
    fixed_size,
    observation,
    recompile,
)

from pytest_compilecheck.contract.trace.model import Step, Trace
from pytest_compilecheck.contract.trace.spec import TensorSpec
from pytest_compilecheck.judge.dynamic_dims import static_dims, unknown_dims
from pytest_compilecheck.observe.values.observation import Observation
from pytest_compilecheck.observe.values.recompile import AssumedSizes

LENGTHS = (8, 9, 10)


def step(index: int, length: int) -> Step:
    return Step(
        index=index,
        inputs={"x": TensorSpec(shape=(2, length)), "mask": TensorSpec(shape=(length,))},
        dims={"B": 2, "S": length},
        named={"x": ("B", "S"), "mask": ("S",)},
    )


TRACE = Trace(tuple(step(index, length) for index, length in enumerate(LENGTHS)))


def seen(*graphs: AssumedSizes, **fields: Any) -> Observation:
    timeline = tuple(
        entry(call, "hit", sizes={"x": (2, length), "mask": (length,)})
        for call, length in enumerate(LENGTHS)
    )
    return observation(assumed_sizes=graphs, **{"timeline": timeline, **fields})


def graph(call: int, x: tuple[int | None, ...], mask: tuple[int | None, ...]) -> AssumedSizes:
    return assumed_sizes(call=call, sizes={"x": x, "mask": mask})


FIRST = graph(0, (2, 8), (8,))
SYMBOLIC = graph(1, (2, None), (None,))


def told(observed: Observation, *dims: str) -> list[str]:
    return [each.told() for each in static_dims(dims or ("S",), TRACE, observed)]


def test_what_the_first_graph_assumes_is_no_matter() -> None:
    assert told(seen(FIRST, SYMBOLIC)) == []


def test_a_graph_that_was_symbolic_from_the_start_serves_all() -> None:
    assert told(seen(graph(0, (2, None), (None,)))) == []


def test_a_dim_that_never_changes_may_be_fixed() -> None:
    assert told(seen(FIRST, SYMBOLIC), "B") == []


def test_a_dim_that_is_as_wanted_hides_no_other() -> None:
    (text,) = told(seen(FIRST, graph(1, (2, 9), (9,))), "S", "B")
    assert text.startswith("the dim S is not dynamic: ")


def test_a_fixed_dim_names_the_line_that_needs_it() -> None:
    fixed = fixed_size(call=1, sources=("x.size(1)",), value="9")
    (text,) = told(seen(FIRST, graph(1, (2, 9), (None,)), fixed_sizes=(fixed,)))
    assert text == (
        "the dim S is not dynamic: the graph of call 1 holds x.size(1) at 9, because"
        " model/mlp.py:12 makes a number of it: for i in range(x.shape[1]):"
    )


def test_every_input_that_has_the_dim_counts() -> None:
    (text,) = told(seen(FIRST, graph(1, (2, None), (9,))))
    assert "holds mask.size(0) at 9, because torch was not asked" in text


def test_the_reason_may_be_what_is_special_about_the_size() -> None:
    tied = change(source="x.size(1)", special="static_parameter")
    event = recompile(call=1, changes=(tied,))
    (text,) = told(seen(FIRST, graph(1, (2, 9), (None,)), recompile_events=(event,)))
    assert text.endswith("because it is tied to the size of a Parameter, which is always fixed")


NOT_ASKED = (
    "the dim S is not dynamic: the graph of call 1 holds x.size(1) at 9, because torch was not"
    " asked to make it dynamic (dynamic=False, mark_static), or keeps it fixed"
)


@pytest.mark.parametrize(
    "elsewhere",
    [
        {"fixed_sizes": (fixed_size(call=2, sources=("x.size(1)",)),)},
        {"fixed_sizes": (fixed_size(call=1, sources=("x.size(0)",)),)},
        {"recompile_events": (recompile(call=2, changes=(change(special="zero_one"),)),)},
        {
            "recompile_events": (
                recompile(call=1, changes=(change(source="x.size(0)", special="zero_one"),)),
            )
        },
        {"recompile_events": (recompile(call=1, changes=(change(special="specialized"),)),)},
    ],
)
def test_what_another_call_or_size_says_is_not_the_reason(elsewhere: dict[str, Any]) -> None:
    assert told(seen(FIRST, graph(1, (2, 9), (9,)), **elsewhere)) == [NOT_ASKED]


@pytest.mark.parametrize(
    ("special", "why"),
    [
        ("zero_one", "torch compiles sizes 0 and 1 apart from all others"),
        ("duck_shape", "it had the value of another size, and torch took them for one"),
        ("static_parameter", "it is tied to the size of a Parameter, which is always fixed"),
        ("condition", "the code branches on it"),
    ],
)
def test_each_special_reason(special: str, why: str) -> None:
    changes = change(source="mask.size(0)"), change(special=special)
    event = recompile(call=1, changes=changes)
    (text,) = told(seen(FIRST, graph(1, (2, 9), (9,)), recompile_events=(event,)))
    assert text.endswith(f"at 9, because {why}")


@pytest.mark.parametrize("size", [0, 1])
def test_sizes_0_and_1_are_always_fixed(size: int) -> None:
    (text,) = told(seen(FIRST, graph(1, (2, size), (size,))))
    assert text.endswith("because torch compiles sizes 0 and 1 apart from all others")


def test_a_later_graph_counts_too() -> None:
    assert len(told(seen(FIRST, SYMBOLIC, graph(2, (2, 10), (10,))))) == 1


def test_arguments_of_another_name_are_found_by_their_sizes() -> None:
    timeline = tuple(
        entry(call, "hit", sizes={"hidden": (2, length), "other": (7,)})
        for call, length in enumerate(LENGTHS)
    )
    inner = assumed_sizes(call=1, sizes={"hidden": (2, 9), "other": (7,)})
    (text,) = told(seen(inner, timeline=timeline))
    assert "holds hidden.size(1) at 9" in text


def test_a_compile_that_failed_on_a_marked_dim_names_it() -> None:
    timeline = (entry(0, "error", error="ConstraintViolationError: no", failed_to_compile=True),)
    fixed = fixed_size(call=0, sources=("mask.size(0)",), value="8")
    broken = seen(timeline=timeline, fixed_sizes=(fixed,))
    (text,) = told(broken)
    assert "holds mask.size(0) at 8, because model/mlp.py:12 makes a number of it" in text
    assert unknown_dims(("S",), TRACE, broken) == []


def test_a_compile_that_failed_for_another_reason_tells_nothing_of_a_dim() -> None:
    """A call of another step, of no step, or one that compiled; and another input's size."""
    failed = entry(0, "error", error="ConstraintViolationError: no", failed_to_compile=True)
    timeline = (failed, entry(1), entry(2, "error", step=None, failed_to_compile=True))
    sizes = (
        fixed_size(call=9, sources=("mask.size(0)",), value="7"),
        fixed_size(call=1, sources=("mask.size(0)",), value="7"),
        fixed_size(call=2, sources=("mask.size(0)",), value="7"),
        fixed_size(call=0, sources=("x.size(0)", "w.size(0)"), value="2"),
    )
    broken = seen(timeline=timeline, fixed_sizes=sizes)
    assert told(broken) == []
    assert len(unknown_dims(("S",), TRACE, broken)) == 1
    # What torch says after these is still heard, and the first of several is told.
    more = [
        fixed_size(call=0, sources=("mask.size(0)", "w.size(0)"), value="8", line=line)
        for line in (20, 30)
    ]
    (found,) = static_dims(("S",), TRACE, seen(timeline=timeline, fixed_sizes=(*sizes, *more)))
    assert (found.dim, found.call, found.source, found.size) == ("S", 0, "mask.size(0)", 8)
    assert found.why.startswith("model/mlp.py:20 makes a number of it")


def test_graphs_of_calls_outside_the_trace_tell_nothing() -> None:
    timeline = (entry(0, sizes={"x": (2, 8)}), entry(1, step=None, sizes={"x": (2, 9)}))
    outside = graph(1, (2, 9), (9,)), graph(7, (2, 9), (9,))
    assert told(seen(*outside, timeline=timeline)) == []
    later = entry(2, sizes={"x": (2, 10)})
    (text,) = told(seen(*outside, graph(2, (2, 10), (10,)), timeline=(*timeline, later)))
    assert "the graph of call 2 holds x.size(1) at 10" in text


def test_an_argument_of_fewer_dims_has_no_such_size() -> None:
    assert told(seen(FIRST, assumed_sizes(call=1, sizes={"x": (2,), "mask": (None,)}))) == []


def test_a_dim_that_no_graph_has_is_unknown() -> None:
    (text,) = unknown_dims(("S",), TRACE, seen())
    assert text.startswith("whether the dim S is dynamic is unknown")
    assert unknown_dims(("S",), TRACE, seen(FIRST)) == []


def remade(**sizes: tuple[int | None, ...]) -> Observation:
    """A plugin made something of `x`; the tensors that a graph has of it, in call 1."""
    timeline = (entry(0, sizes={"x": (2, 8)}), entry(1, sizes={"x": (2, 9), "x.rows": (2, 9)}))
    graphs = assumed_sizes(call=1, sizes={name.replace("_", "."): s for name, s in sizes.items()})
    return observation(assumed_sizes=(graphs,), timeline=timeline, remade_inputs=("x",))


def test_in_what_a_plugin_made_the_tensors_of_its_sizes_count() -> None:
    assert told(remade(x_rows=(2, None))) == []
    assert unknown_dims(("S",), TRACE, remade(x_rows=(2, None))) == []
    (text,) = told(remade(x_rows=(2, 9)))
    assert "holds x.rows.size(1) at 9" in text


def test_every_input_with_the_dim_that_a_plugin_makes_is_named() -> None:
    (text,) = unknown_dims(("S",), TRACE, seen(remade_inputs=("x", "other", "mask")))
    assert "(a plugin makes x, mask: the tensors in it " in text
    (text,) = unknown_dims(("S",), TRACE, seen(remade_inputs=("other",)))
    assert text == (
        "whether the dim S is dynamic is unknown: no compiled function takes a tensor that has it"
    )


def test_the_dims_of_the_whole_may_be_others() -> None:
    seen = remade(x=(2, None), x_values=(None,))
    assert told(seen) == []
    (text,) = unknown_dims(("S",), TRACE, seen)
    assert text.endswith(
        "(a plugin makes x: the tensors in it that the code takes have other sizes than those of"
        " the trace)"
    )
