from __future__ import annotations

from typing import Any

from report.values import (
    assumed_sizes,
    change,
    entry,
    fixed_size,
    observation,
    recompile,
)

from pytest_compilecheck.contract.spec import TensorSpec
from pytest_compilecheck.contract.trace import Step, Trace
from pytest_compilecheck.judge.dynamic_dims import static_dims, unknown_dims
from pytest_compilecheck.observe.observation import Observation
from pytest_compilecheck.observe.recompile import AssumedSizes

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


def test_sizes_0_and_1_are_always_fixed() -> None:
    (text,) = told(seen(FIRST, graph(1, (2, 1), (1,))))
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


def test_the_dims_of_the_whole_may_be_others() -> None:
    seen = remade(x=(2, None), x_values=(None,))
    assert told(seen) == []
    (text,) = unknown_dims(("S",), TRACE, seen)
    assert text.endswith(
        "(a plugin makes x: the tensors in it that the code takes have other sizes than those of"
        " the trace)"
    )
