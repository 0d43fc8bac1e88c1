"""Entries inside a call, under one stance or another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest
from observe.driven import Driver


class Nested(Driver):
    """A recorder with a region that is entered in calls of another, and a graph of each."""

    def __init__(self) -> None:
        super().__init__()
        self.entry_inside = self.recorder.region_entry(created_before=True)
        self.outer, self.inner = (self.recorder.launch_counter(int) for _ in range(2))

    @contextmanager
    def inside(self, stance: str) -> Iterator[None]:
        """The region is entered under a stance, inside a call or alone."""
        before, self.torch.in_force = self.torch.in_force, stance
        try:
            with self.call(self.entry_inside):
                yield
        finally:
            self.torch.in_force = before


@pytest.fixture
def nested() -> Nested:
    return Nested()


def stances(nested: Nested) -> list[tuple[str, ...]]:
    return [call.eager_stances for call in nested.recorder.calls()]


@pytest.mark.parametrize("stance", ["force_eager", "eager_then_compile"])
def test_a_region_that_a_stance_leaves_to_python_makes_the_call_a_fallback(
    nested: Nested, stance: str
) -> None:
    with nested.call():
        nested.outer()
        with nested.inside(stance):
            pass
    with nested.call():
        nested.outer()
    assert stances(nested) == [(stance,), ()]
    assert nested.kinds() == ["fallback", "hit"]


@pytest.mark.parametrize(
    "stance", ["default", "eager_then_compile", "eager_on_recompile", "fail_on_recompile"]
)
def test_a_region_that_ran_a_graph_is_none(nested: Nested, stance: str) -> None:
    with nested.call():
        nested.outer()
        with nested.inside(stance):
            nested.inner()
    assert (stances(nested), nested.kinds()) == ([()], ["hit"])


@pytest.mark.parametrize("stance", ["default", "eager_on_recompile", "fail_on_recompile"])
def test_a_region_without_work_is_none(nested: Nested, stance: str) -> None:
    with nested.call():
        nested.outer()
        with nested.inside(stance):
            pass
    assert (stances(nested), nested.kinds()) == ([()], ["hit"])


def test_a_miss_that_a_stance_leaves_to_python_is_no_limit(nested: Nested) -> None:
    with nested.call():
        nested.outer()
        nested.recorder.guards_missed()  # at the limit
        with nested.inside("eager_on_recompile"):
            nested.inner()
            nested.recorder.guards_missed()
    (call,) = nested.recorder.calls()
    assert (call.eager_stances, call.unanswered) == (("eager_on_recompile",), 1)


@pytest.mark.parametrize("stance", ["force_eager", "fail_on_recompile"])
def test_what_was_raised_and_caught_is_no_work_that_ran_eagerly(
    nested: Nested, stance: str
) -> None:
    with nested.call():
        nested.outer()
        with suppress(ValueError), nested.inside(stance):
            nested.recorder.guards_missed()
            raise ValueError
    (call,) = nested.recorder.calls()
    assert (call.eager_stances, call.unanswered) == ((), 0)


def test_inside_an_except_block_nothing_was_raised(nested: Nested) -> None:
    with nested.call():
        nested.outer()
        try:
            raise ValueError
        except ValueError:
            with nested.inside("force_eager"):
                pass
    assert stances(nested) == [("force_eager",)]


def test_graphs_of_a_region_inside_are_not_those_of_the_call(nested: Nested) -> None:
    nested.torch.in_force = "force_eager"
    with nested.call(), nested.inside("default"):
        nested.inner()
    nested.torch.in_force = "default"
    with nested.call():
        nested.outer()
    assert stances(nested) == [("force_eager",), ()]
    assert nested.kinds() == ["fallback", "hit"]


def test_nor_those_of_a_region_inside_a_region(nested: Nested) -> None:
    with nested.call():
        nested.outer()
        with nested.inside("force_eager"), nested.inside("default"):
            nested.inner()
        with nested.inside("eager_then_compile"):
            with nested.inside("default"):
                nested.inner()
            nested.inner()
    assert stances(nested) == [("force_eager",)]


def test_the_next_call_begins_anew(nested: Nested) -> None:
    with nested.call(), nested.inside("default"):
        nested.inner()
    nested.torch.in_force = "eager_then_compile"
    with nested.call():
        nested.outer()
    assert (stances(nested), nested.kinds()) == ([(), ()], ["hit", "hit"])


def test_entries_that_are_ignored_say_nothing(nested: Nested) -> None:
    launches: list[Callable[[], Any]] = [nested.outer, nested.inner]
    with nested.recorder.ignored(), nested.call(), nested.inside("force_eager"):
        for launch in launches:
            launch()
    with nested.call():
        nested.outer()
    assert stances(nested) == [()]
