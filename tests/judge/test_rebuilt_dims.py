"""Which rebuilds show that a dim is fixed: those of the dim for sure, and no other."""

from __future__ import annotations

from typing import Any

import pytest
from report.values import change, entry, fixed_size, observation, recompile

from pytest_compilecheck.contract.trace.inputs import PythonValue
from pytest_compilecheck.contract.trace.model import Step, Trace
from pytest_compilecheck.contract.trace.spec import TensorSpec
from pytest_compilecheck.judge.dynamic_dims import static_dims, unknown_dims
from pytest_compilecheck.judge.rebuilt_dims import rebuilds_for
from pytest_compilecheck.observe.values.place import Frame
from pytest_compilecheck.observe.values.recompile import Change, RecompileEvent

LOOP = Frame(file="model/mlp.py", line=12, function="forward")


def step(
    index: int, length: int, *, batch: int = 2, n: object = 0, width: int = 3, bias: int = 3
) -> Step:
    x, mask = TensorSpec(shape=(batch, length, width)), TensorSpec(shape=(length,))
    return Step(
        index=index,
        inputs={"x": x, "mask": mask, "bias": TensorSpec(shape=(bias,)), "n": PythonValue(n)},
        dims={"B": batch, "S": length},
        named={"x": ("B", "S", None), "mask": ("S",)},
    )


def trace(*lengths: int, **others: tuple[Any, ...]) -> Trace:
    """One step for each length; `others` give what else each step has."""
    return Trace(
        tuple(
            step(index, length, **{name: values[index] for name, values in others.items()})
            for index, length in enumerate(lengths)
        )
    )


def size(before: object, now: object, source: str = "h.size(1)", **fields: Any) -> Change:
    """A size of a tensor that the code made a number of."""
    given = {"source": source, "expected": str(before), "actual": str(now), "fixed_at": LOOP}
    return change(**{**given, **fields})


def number(before: object, now: object) -> Change:
    return size(before, now, "n", cause="python_value")


def rebuilt(call: int, *changes: Change, **fields: Any) -> RecompileEvent:
    return recompile(call=call, changes=changes, **{"code_object": 1, **fields})


def calls(*events: RecompileEvent, of: Trace, dim: str = "S") -> list[int]:
    """The calls in which the dim was fixed, in a run of one call for each step."""
    timeline = tuple(entry(call, step=call) for call in range(len(of.steps)))
    seen = observation(recompile_events=events, timeline=timeline)
    return [each.call for each in rebuilds_for(dim, of, seen)]


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (size(8, 9), size(9, 10)),
        (size(8, 9, "x.size(1)"), size(9, 10, "x.size(1)")),
        (size(8, 9, holder="closure"), size(9, 10, holder="closure")),
        (size(16, 18, "flat.size(0)"), size(18, 20, "flat.size(0)")),
        (number(8, 9), number(9, 10)),
    ],
    ids=["made of it", "itself", "captured", "a multiple of it", "as a number"],
)
def test_what_goes_with_the_dim_alone_is_the_dim(one: Change, two: Change) -> None:
    lengths = trace(8, 9, 10)
    assert calls(rebuilt(1, one), rebuilt(2, two), of=lengths) == [1, 2]
    assert calls(rebuilt(1, one), rebuilt(2, two), of=lengths, dim="B") == []


@pytest.mark.parametrize(
    "told",
    [
        size(8, 9, automatic_dynamic=True, fixed_at=None),
        size(8, 9, fixed_at=None),
        size("2 or more", 9),
        size("equal to x.size(0)", 9),
        size("'a'", "'b'", "n", cause="python_value"),
        size(8, 9, "self.cache.size(1)", holder="module"),
        size(8, 9, "CACHE.size(1)", holder="global"),
        size(3, 4),
        size(7, 9),
        size(0, 9),
        size(8, 0),
    ],
    ids=str,
)
def test_other_changes_tell_nothing(told: Change) -> None:
    assert calls(rebuilt(1, told), of=trace(8, 9)) == []


def test_what_is_something_else_in_one_call_is_no_dim() -> None:
    """A counter may have the dim's values for a while; what the new graph makes of it is one."""
    first, other = rebuilt(1, size(8, 9)), size(9, 12, automatic_dynamic=True, fixed_at=None)
    lengths = trace(8, 9, 10)
    assert calls(first, rebuilt(2, other), of=lengths) == []
    assert calls(first, rebuilt(1, size(9, 27)), of=lengths) == []
    assert calls(rebuilt(1, size(3, 10, "z.size(1)"), size(8, 9)), of=trace(8, 9)) == [1]
    # In other code the name is another's; another name is another thing.
    assert calls(first, rebuilt(2, other, code_object=2), of=lengths) == [1]
    assert calls(first, rebuilt(2, size(9, 12, "z.size(1)")), of=lengths) == [1]


def test_a_rebuild_in_a_call_of_no_step_tells_nothing() -> None:
    lengths = trace(8, 9)
    assert calls(rebuilt(7, size(8, 9)), of=lengths) == []
    assert calls(rebuilt(1, size(8, 9)), rebuilt(7, size(9, 8)), of=lengths) == []


def test_what_only_a_later_call_has_was_not_before() -> None:
    assert calls(rebuilt(1, size(8, 9)), of=trace(7, 9, 8)) == []


def test_what_more_than_the_dim_changes_may_be_made_of_that() -> None:
    moved = rebuilt(1, size(8, 9))
    assert calls(moved, of=trace(8, 9, batch=(4, 5))) == []
    assert calls(moved, of=trace(8, 9, n=(1, 2))) == []
    # Sizes without a name, of a tensor with names and of one without.
    assert calls(moved, of=trace(8, 9, width=(3, 4))) == []
    assert calls(moved, of=trace(8, 9, bias=(3, 4))) == []
    # An input's own name says enough; a multiple of its size is no size of it.
    assert calls(rebuilt(1, size(8, 9, "x.size(1)")), of=trace(8, 9, batch=(4, 5))) == [1]
    assert calls(rebuilt(1, size(8, 9, "x.size(0)")), of=trace(8, 9, batch=(4, 5))) == []
    assert calls(rebuilt(1, size(16, 18, "x.size(1)")), of=trace(8, 9, batch=(4, 5))) == []


def test_of_two_dims_with_the_same_sizes_it_may_be_either() -> None:
    """`x = x.transpose(0, 1)` leaves another tensor under the name."""
    moved, both = rebuilt(1, size(8, 9, "x.size(1)")), trace(8, 9, batch=(8, 9))
    assert calls(moved, of=both) == calls(moved, of=both, dim="B") == []


def test_a_dim_that_is_held_behind_a_break_is_not_dynamic() -> None:
    lengths = trace(8, 9)
    events = (rebuilt(1, number(8, 9)),)
    timeline = entry(0, step=0), entry(1, step=1)
    line = fixed_size(call=1, sources=("n",), value="9")
    seen = observation(recompile_events=events, timeline=timeline, fixed_sizes=(line,))
    (found,) = static_dims(("S", "B"), lengths, seen)
    assert found.told() == (
        "the dim S is not dynamic: the graph of call 1 holds n at 9, because model/mlp.py:12 makes"
        " a number of it: for i in range(x.shape[1]):"
    )
    assert unknown_dims(("S",), lengths, seen) == []
    assert len(unknown_dims(("B",), lengths, seen)) == 1
