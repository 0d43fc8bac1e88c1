"""What is special about sizes: duck shaping, static parameters, loops, branches, 0 and 1."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch
from observe.facts import calls
from observe.guards.scenarios import all_changes
from torch import nn

ones = torch.ones
Seen = tuple[str, str, str, str | None]
"""Source, before, after, special."""


def adds(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return x.sum() + y.sum()


def seen(run: Callable[[], object]) -> list[list[Seen]]:
    """The changes of each recompile; all are of sizes."""
    found = all_changes(run)
    assert {change.cause for changes in found for change in changes} <= {"shape"}
    return [
        [(each.source, each.expected, each.actual, each.special) for each in changes]
        for changes in found
    ]


# Duck shaping.


@pytest.mark.parametrize(
    ("sizes", "told"),
    [
        ((4, 5), ("y.size(0)", "equal to x.size(0)", "5", "duck_shape")),
        ((5, 4), ("x.size(0)", "equal to y.size(0)", "5", "duck_shape")),
    ],
)
def test_of_two_sizes_that_torch_took_for_one_that_which_changed_is_named(
    sizes: tuple[int, int], told: Seen
) -> None:
    pairs = [(ones(one), ones(other)) for one, other in ((4, 4), sizes)]
    assert seen(calls(adds, *pairs, dynamic=True)) == [[told]]


def test_two_sizes_of_one_tensor_may_be_taken_for_one() -> None:
    run = calls(lambda x: x.sum(), (ones(4, 4),), (ones(4, 5),), dynamic=True)
    assert seen(run) == [[("x.size(1)", "equal to x.size(0)", "5", "duck_shape")]]


def test_equal_sizes_that_become_symbols_by_themselves_are_two() -> None:
    pairs = [(ones(one), ones(other)) for one, other in ((4, 4), (5, 5), (6, 7))]
    [told] = seen(calls(adds, *pairs))
    assert told == [("x.size(0)", "4", "5", None), ("y.size(0)", "4", "5", None)]


def test_sizes_that_the_code_needs_equal_are_no_duck_shapes() -> None:
    sizes = ((4, 4), (5, 5), (6, 1))
    run = calls(lambda x, y: x + y, *[(ones(one), ones(other)) for one, other in sizes])
    assert seen(run)[1:] == [[("y.size(0)", "equal to x.size(0)", "1", "condition")]]


# Parameters and buffers.


class Scales(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.w


def as_parameter(module: nn.Module, size: int) -> None:
    module.w = nn.Parameter(ones(size))


def as_buffer(module: nn.Module, size: int) -> None:
    module.register_buffer("w", ones(size))


def as_attribute(module: nn.Module, size: int) -> None:
    module.w = ones(size)


def grows(hold: Callable[[nn.Module, int], None]) -> Callable[[], None]:
    def run() -> None:
        module = Scales()
        compiled = torch.compile(module, backend="eager")
        for size in (4, 5, 6):
            hold(module, size)
            compiled(ones(2, size))

    return run


@pytest.mark.parametrize("hold", [as_parameter, as_buffer])
def test_a_size_tied_to_that_of_a_parameter_is_told_after_it(hold: Any) -> None:
    assert seen(grows(hold)) == [
        [
            ("self.w.size(0)", before, after, "static_parameter"),
            ("x.size(1)", before, after, "specialized"),
        ]
        for before, after in (("4", "5"), ("5", "6"))
    ]


def test_a_size_tied_to_that_of_another_attribute_becomes_a_symbol() -> None:
    [changes] = all_changes(grows(as_attribute))
    assert [change.source for change in changes] == ["x.size(1)", "self.w.size(0)"]
    assert all(change.automatic_dynamic for change in changes)


def test_a_parameter_that_is_an_argument_is_static_too() -> None:
    run = calls(lambda w: w * 2, *[(nn.Parameter(ones(size)),) for size in (4, 5, 6)])
    assert seen(run) == [
        [("w.size(0)", "4", "5", "static_parameter")],
        [("w.size(0)", "5", "6", "static_parameter")],
    ]


# Code that needs a number, or decides by a size.


def by_index(x: torch.Tensor) -> torch.Tensor:
    total = torch.zeros(3)
    for row in range(x.shape[0]):
        total = total + x[row]
    return total


def by_row(x: torch.Tensor) -> torch.Tensor:
    total = torch.zeros(3)
    for row in x:
        total = total + row
    return total


@pytest.mark.parametrize("function", [by_index, by_row])
def test_a_loop_over_rows_makes_a_number_of_their_count(function: Any) -> None:
    found = all_changes(calls(function, *[(ones(rows, 3),) for rows in (2, 4, 5)]))
    assert [[(each.source, each.expected, each.actual) for each in told] for told in found] == [
        [("x.size(0)", "2", "4")],
        [("x.size(0)", "4", "5")],
    ]
    for (change,) in found:
        assert change.special == "specialized"
        assert change.fixed_at is not None
        assert change.fixed_at.function == function.__name__
        assert linecache.getline(__file__, change.fixed_at.line).strip().startswith("for row in ")


@pytest.mark.parametrize(
    ("function", "sizes", "told"),
    [
        (
            lambda x: x * 2 if x.shape[0] > 10 else x * 3,
            (4, 5, 12),
            ("x.size(0)", "x.size(0) <= 10", "12", "condition"),
        ),
        (
            lambda x: x * 2 if x.shape[0] > 10 else x * 3,
            (14, 15, 3),
            ("x.size(0)", "11 <= x.size(0)", "3", "condition"),
        ),
        (
            lambda x: x * 2 if x.shape[0] % 2 == 0 else x * 3,
            (4, 6, 7),
            ("x.size(0)", "(x.size(0) % 2) == 0", "7", "condition"),
        ),
        # Both ends of a range may be guarded in one condition: that which does not hold is told.
        (
            lambda x: x * 2 if x.shape[0] > 10 else x * 3,
            (4, 5, 1),
            ("x.size(0)", "2 or more", "1", "zero_one"),
        ),
    ],
)
def test_a_condition_on_a_size_is_told_in_the_names_of_the_author(
    function: Any, sizes: Sequence[int], told: Seen
) -> None:
    found = seen(calls(function, *[(ones(size),) for size in sizes]))
    assert found[1:] == [[told]]


def test_a_condition_on_two_sizes_names_both() -> None:
    pairs = [(ones(one), ones(other)) for one, other in ((4, 2), (6, 3), (8, 5))]
    found = seen(calls(lambda x, y: x * 2 if len(x) == 2 * len(y) else x * 3, *pairs))
    assert found[1:] == [[("x.size(0)", "x.size(0) == 2*y.size(0)", "8", "condition")]]


def test_a_condition_on_what_a_module_holds_is_one_of_the_module() -> None:
    class Caches(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x * 2 if self.cache[0].shape[0] > 10 else x + self.cache[0].sum()

    def run() -> None:
        module = Caches()
        compiled = torch.compile(module, backend="eager")
        for size in (4, 5, 12):
            module.cache = [ones(size)]
            compiled(ones(2))

    last = all_changes(run)[-1][0]
    assert (last.holder, last.source) == ("module", "self.cache[0].size(0)")
    assert (last.expected, last.actual) == ("self.cache[0].size(0) <= 10", "12")


# 0 and 1, and no symbols at all.


def test_each_of_0_and_1_is_compiled_apart() -> None:
    run = calls(lambda x: x.sum(), *[(ones(size),) for size in (4, 5, 1, 0, 6)])
    assert seen(run) == [
        [("x.size(0)", "4", "5", None)],
        [("x.size(0)", "2 or more", "1", "zero_one")],
        [("x.size(0)", "1", "0", "zero_one")],
    ]


def test_with_dynamic_false_no_size_becomes_a_symbol() -> None:
    found = all_changes(calls(lambda x: x.sum(), (ones(4),), (ones(5),), dynamic=False))
    [(change,)] = found
    assert not change.automatic_dynamic
    assert change.cure == (
        "torch._dynamo.mark_dynamic(x, 0) before the first call makes it dynamic; else pad to a"
        " few sizes"
    )
