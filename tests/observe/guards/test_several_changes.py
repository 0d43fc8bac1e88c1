"""All that changed is told, and what became a symbol makes no further rebuild."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from observe.facts import calls, watched
from observe.guards.scenarios import PLACES, PLAIN, all_changes
from torch import nn

ones = torch.ones
Told = tuple[str, str, str, str]
"""Cause, source, before, after."""


def told(run: Callable[[], object]) -> list[list[Told]]:
    """The changes of each recompile."""
    return [
        [(each.cause, each.source, each.expected, each.actual) for each in changes]
        for changes in all_changes(run)
    ]


# Several at once.


def flagged(x: torch.Tensor, flag: bool) -> torch.Tensor:
    return x * 2 if flag else x * 3


def adds(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return x.sum() + y.sum()


@pytest.mark.parametrize(
    ("function", "arguments", "changes"),
    [
        (
            flagged,
            [(ones(4), True), (ones(5), False)],
            [("shape", "x.size(0)", "4", "5"), ("python_value", "flag", "True", "False")],
        ),
        (
            lambda x: x.sum(),
            [(ones(4),), (ones(5).double(),)],
            [
                ("dtype", "x.dtype", "torch.float32", "torch.float64"),
                ("shape", "x.size(0)", "4", "5"),
            ],
        ),
        (
            adds,
            [(ones(4), ones(2, 3)), (ones(5), ones(2, 7))],
            [("shape", "x.size(0)", "4", "5"), ("shape", "y.size(1)", "3", "7")],
        ),
        (
            lambda x: x.sum(),
            [(ones(4, 3, 2),), (ones(5, 3, 7),)],
            [("shape", "x.size(0)", "4", "5"), ("shape", "x.size(2)", "2", "7")],
        ),
        (
            lambda x, o: x * o["k"] * o["m"],
            [(ones(2), {"k": 2, "m": 1.5}), (ones(2), {"k": 3.5, "m": 2.5})],
            [("python_type", "o['k']", "int", "float"), ("python_value", "o['m']", "1.5", "2.5")],
        ),
    ],
    ids=["size and flag", "dtype and size", "two tensors", "two sizes", "two items"],
)
def test_all_that_changed_at_once_is_told(
    function: Any, arguments: Any, changes: list[Told]
) -> None:
    assert told(calls(function, *arguments)) == [changes]


def test_a_mode_and_a_size() -> None:
    def run() -> None:
        compiled = torch.compile(lambda x: x.sum(), backend="eager")
        compiled(ones(4))
        with torch.no_grad():
            compiled(ones(5))

    assert told(run) == [
        [("global_state", "grad mode", "on", "off"), ("shape", "x.size(0)", "4", "5")]
    ]


def test_a_rebuild_is_automatic_dynamic_only_where_all_became_symbols() -> None:
    [event] = watched(calls(flagged, (ones(4), True), (ones(5), False))).recompile_events
    assert [change.automatic_dynamic for change in event.changes] == [True, False]
    assert not event.automatic_dynamic
    [event] = watched(calls(adds, (ones(4), ones(3)), (ones(5), ones(2)))).recompile_events
    assert event.automatic_dynamic


def test_what_is_beneath_a_value_of_another_type_is_not_told() -> None:
    class Fast:
        n, scale = 2, [1.5]

    class Safe:
        n, scale = 3, [2.5]

    run = calls(lambda x, o: x * o.n * o.scale[0], (ones(2), Fast()), (ones(2), Safe()))
    assert told(run) == [[("python_type", "o", "Fast", "Safe")]]


def test_an_attribute_whose_name_begins_with_that_of_another_is_told() -> None:
    class Pair:
        def __init__(self, a: float, ab: int) -> None:
            self.a, self.ab = a, ab

    run = calls(lambda x, o: x * o.a * o.ab, (ones(2), Pair(2, 3)), (ones(2), Pair(2.5, 4)))
    assert told(run) == [
        [("python_type", "o.a", "int", "float"), ("python_value", "o.ab", "3", "4")]
    ]


def test_each_rebuild_is_told_against_the_graph_that_served_last() -> None:
    run = calls(lambda x, n: x * len(n), *[(ones(2), n) for n in ("a", "bb", "a", "ccc")])
    assert told(run) == [
        [("python_value", "n", "'a'", "'bb'")],
        [("python_value", "n", "'a'", "'ccc'")],
    ]


def test_the_main_change_is_the_one_that_torch_names() -> None:
    """torch asks first for what failed before, here the text."""

    def scaled(x: torch.Tensor, text: str, table: dict[str, float]) -> torch.Tensor:
        for key in table:  # noqa: PLC0206 - the keys are what is guarded
            x = x * table[key]
        return x * len(text)

    one, two = {"a": 0.5}, {"a": 0.5, "b": 0.5}
    run = calls(scaled, *[(ones(2), *each) for each in (("a", one), ("bb", one), ("a", one))])
    assert told(run) == [[("python_value", "text", "'a'", "'bb'")]]
    more = [(ones(2), *each) for each in (("a", one), ("bb", one), ("a", one), ("ccc", two))]
    assert told(calls(scaled, *more))[-1] == [
        ("python_value", "text", "'a'", "'ccc'"),
        ("container_length", "len(table)", "1", "2"),
    ]


# Symbols.

KINDS: dict[str, tuple[Callable[[torch.Tensor, Any], torch.Tensor], tuple[Any, ...]]] = {
    "size": (lambda x, v: x.sum() + v.sum(), (ones(5), ones(6), ones(7))),
    "int": (lambda x, v: x * v, (2, 3, 4)),
    "float": (lambda x, v: x * v, (2.5, 3.5, 4.5)),
    "str": (lambda x, v: x * len(v), ("a", "bb", "ccc")),
}
FIXED = [("int", "module"), ("int", "global"), *(("str", place) for place in PLACES)]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_third_value_rebuilds_only_what_became_no_symbol(kind: str, place: str) -> None:
    use, values = KINDS[kind]

    def run() -> None:
        call = PLACES[place][0](use, PLAIN.get)
        for value in values:
            call(value)

    seen = watched(run)
    fixed = (kind, place) in FIXED
    assert [event.automatic_dynamic for event in seen.recompile_events] == (
        [False, False] if fixed else [True]
    )
    assert [entry.kind for entry in seen.timeline][1:] == [
        "recompile",
        "recompile" if fixed else "hit",
    ]


def test_a_number_in_a_tuple_in_a_dict_of_a_module_becomes_no_symbol() -> None:
    """The one container in which torch compares the whole tuple."""

    class Holds(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x * self.held["k"][1]

    def run() -> None:
        module = Holds()
        compiled = torch.compile(module, backend="eager")
        for value in (1.5, 2.5, 3.5):
            module.held = {"k": ("name", value)}
            compiled(ones(2))

    found = all_changes(run)
    assert [
        [(each.source, each.expected, each.actual) for each in changes] for changes in found
    ] == [
        [("self.held['k'][1]", "1.5", "2.5")],
        [("self.held['k'][1]", "2.5", "3.5")],
    ]
    assert not any(change.automatic_dynamic for changes in found for change in changes)


# Instances of one class.


def test_instances_that_share_code_are_told_by_what_differs() -> None:
    class Layer(nn.Module):
        def __init__(self, index: int, size: int) -> None:
            super().__init__()
            self.index = index
            self.weight = nn.Parameter(ones(size))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x.sum() * self.weight * self.index

    def run() -> None:
        for index, size in ((0, 2), (1, 2), (1, 3)):
            torch.compile(Layer(index, size), backend="eager")(ones(2))

    assert told(run) == [
        [("module_state", "self.index", "0", "1")],
        [("shape", "self.weight.size(0)", "2", "3")],
    ]


def test_classes_that_share_code_are_told_by_their_names() -> None:
    class Base(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.act(x)

    class Relu(Base):
        def act(self, x: torch.Tensor) -> torch.Tensor:
            return x.relu()

    class Sigmoid(Base):
        def act(self, x: torch.Tensor) -> torch.Tensor:
            return x.sigmoid()

    def run() -> None:
        for module in (Relu(), Sigmoid()):
            torch.compile(module, backend="eager")(ones(2))

    [(change,)] = all_changes(run)
    assert (change.cause, change.holder, change.source) == ("python_type", "argument", "self")
    assert (change.expected, change.actual) == ("Relu", "Sigmoid")
    assert change.cure.startswith("instances of several classes share this code")


def test_two_classes_of_one_name_are_told_apart() -> None:
    def made() -> object:
        class Config:
            n = 2

        return Config()

    run = calls(lambda x, c: x * c.n, (ones(2), made()), (ones(2), made()))
    assert told(run) == [[("python_type", "c", "Config", "another Config")]]


def test_two_long_texts_that_begin_alike_are_told_apart() -> None:
    run = calls(lambda x, t: x * len(t), (ones(2), "a" * 100), (ones(2), "a" * 101))
    [[(_, _, before, after)]] = told(run)
    assert before == "'" + "a" * 76 + "..."
    assert after == f"another {before}"
