"""Names behind a wrapper: those of the parameters of the function that it wraps."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from observe.facts import watched
from torch import nn


def wrapped(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return wrapper


class Model(nn.Module):
    @wrapped
    def forward(self, hidden: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        summed = hidden.sum(0)
        for row in range(hidden.shape[0]):
            summed = summed + hidden[row]
        return summed if mask is None else summed + mask.sum()


def changes(*calls: dict[str, Any], target: Any = None) -> list[tuple[str, str, str]]:
    def run() -> None:
        compiled = torch.compile(target or Model(), backend="eager")
        for call in calls:
            given = dict(call)
            compiled(given.pop("x"), **given)

    seen = watched(run)
    return [
        (change.source, change.expected, change.actual)
        for event in seen.recompile_events
        for change in event.changes
    ]


def test_positional_arguments_have_the_names_of_what_is_wrapped() -> None:
    assert changes({"x": torch.ones(3, 4)}, {"x": torch.ones(5, 4)}) == [
        ("hidden.size(0)", "3", "5")
    ]


def test_keywords_have_their_own_names() -> None:
    one, other = ({"x": torch.ones(3, 4), "mask": torch.ones(size)} for size in (3, 5))
    assert changes(one, other) == [("mask.size(0)", "3", "5")]


def test_a_line_that_needs_a_size_is_found_behind_a_wrapper() -> None:
    def run() -> None:
        compiled = torch.compile(Model(), backend="eager")
        for length in (3, 5):
            compiled(torch.ones(length, 4))

    seen = watched(run)
    (event,) = seen.recompile_events
    assert event.changes[0].special == "specialized"
    assert seen.fixed_sizes[0].sources == ("hidden.size(0)",)
    assert [entry.sizes for entry in seen.timeline] == [{"hidden": (3, 4)}, {"hidden": (5, 4)}]
    assert list(seen.assumed_sizes[-1].sizes) == ["hidden"]


def test_a_keyword_that_comes_later_says_to_pass_it_always() -> None:
    def run() -> None:
        compiled = torch.compile(Model(), backend="eager")
        compiled(torch.ones(3, 4))
        compiled(torch.ones(3, 4), mask=torch.ones(3))

    (event,) = watched(run).recompile_events
    assert event.source == "len(kwargs)"
    assert event.cure == "pass the same keyword arguments in all calls"


def test_a_wrapper_around_nothing_keeps_torchs_names() -> None:
    def total(*rows: torch.Tensor) -> torch.Tensor:
        return torch.stack([row.sum() for row in rows]).sum()

    assert changes({"x": torch.ones(3)}, {"x": torch.ones(4)}, target=total) == [
        ("rows[0].size(0)", "3", "4")
    ]


def test_a_view_that_is_none_any_more_is_told() -> None:
    linear = nn.Linear(4, 8)

    def run() -> None:
        double = torch.compile(lambda x: x * 2, dynamic=True, backend="eager")
        with torch.no_grad():
            double(linear(torch.randn(1, 64, 4)))
            double(torch.randn(1, 64, 8))

    events = watched(run).recompile_events
    told = [(change.source, change.expected) for event in events for change in event.changes]
    assert told in ([], [("x", "a view of another tensor")])


def test_conditions_on_layout_are_no_branches_of_the_code() -> None:
    def run() -> None:
        double = torch.compile(lambda x: x * 2, dynamic=True, backend="eager")
        double(torch.randn(3, 4, 8)[:, 1:3])
        double(torch.randn(3, 2, 8))

    (event,) = watched(run).recompile_events
    assert {change.special for change in event.changes} <= {None, "duck_shape"}
