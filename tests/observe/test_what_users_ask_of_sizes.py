"""What users ask of torch about sizes works under a watch as it does without one."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import pytest
import torch

from pytest_compilecheck import watch

Prepare = Callable[[torch.Tensor], object]


def nothing(_: torch.Tensor) -> None:
    """No mark."""


def plain(x: torch.Tensor) -> torch.Tensor:
    return x.relu() + 1


def by_size(x: torch.Tensor) -> torch.Tensor:
    return x + 1 if x.shape[0] > 5 else x - 1


def checked(x: torch.Tensor) -> torch.Tensor:
    torch._check(x.shape[0] > 3)
    return x + 1 if x.shape[0] > 2 else x - 1


def folded(x: torch.Tensor) -> torch.Tensor:
    return x.reshape(2, 2, -1)


CASES: dict[str, tuple[Callable[[torch.Tensor], torch.Tensor], Prepare, dict[str, Any]]] = {
    "nothing asked": (plain, nothing, {}),
    "dynamic": (plain, nothing, {"dynamic": True}),
    "static": (plain, nothing, {"dynamic": False}),
    "a branch on the size": (by_size, nothing, {"dynamic": True}),
    "mark_dynamic": (plain, lambda x: torch._dynamo.mark_dynamic(x, 0), {}),
    "mark_dynamic that the code violates": (
        folded,
        lambda x: torch._dynamo.mark_dynamic(x, 0),
        {},
    ),
    "mark_dynamic within bounds": (
        plain,
        lambda x: torch._dynamo.mark_dynamic(x, 0, min=2, max=64),
        {},
    ),
    "maybe_mark_dynamic": (plain, lambda x: torch._dynamo.maybe_mark_dynamic(x, 0), {}),
    "mark_static": (plain, lambda x: torch._dynamo.mark_static(x, 0), {}),
    "mark_unbacked": (plain, lambda x: torch._dynamo.decorators.mark_unbacked(x, 0), {}),
    "mark_unbacked that the code branches on": (
        by_size,
        lambda x: torch._dynamo.decorators.mark_unbacked(x, 0),
        {},
    ),
    "torch._check": (checked, nothing, {"dynamic": True}),
    "torch._check of an unbacked size": (
        checked,
        lambda x: torch._dynamo.decorators.mark_unbacked(x, 0),
        {},
    ),
}

LENGTHS = (4, 7, 9, 4)
WIDTH = 10


def outcomes(name: str) -> tuple[list[str], list[int]]:
    """What each call gave (its sum, or the type of its error), and the sizes of graphs made."""
    function, prepare, options = CASES[name]
    graphs: list[int] = []

    def backend(gm: torch.fx.GraphModule, _: object) -> Callable[..., Any]:
        graphs.append(len(gm.graph.nodes))
        return gm.forward

    torch._dynamo.reset()
    compiled = torch.compile(function, backend=backend, **options)
    given = []
    for length in LENGTHS:
        x = torch.ones(length, WIDTH)
        prepare(x)
        try:
            given.append(str(compiled(x).sum().item()))
        except Exception as error:  # noqa: BLE001 - the type is what is compared
            given.append(type(error).__name__)
    torch._dynamo.reset()
    return given, graphs


@pytest.mark.parametrize("name", CASES)
def test_it_works_as_without_a_watch(name: str) -> None:
    without = outcomes(name)
    with watch() as seen:
        watched = outcomes(name)
    assert watched == without
    errors = [entry.error for entry in seen.observation.timeline]
    raised = [given for given in without[0] if not given.replace(".", "").lstrip("-").isdigit()]
    assert [error.partition(":")[0] for error in errors if error] == raised
    assert seen.observation.problems == ()


@pytest.mark.parametrize(
    ("name", "rebuilds"),
    [
        ("nothing asked", [("x.size(0)", "4", "7", True)]),
        ("dynamic", []),
        ("static", [("x.size(0)", "4", "7", False), ("x.size(0)", "7", "9", False)]),
        ("mark_dynamic", []),
        ("mark_static", [("x.size(0)", "4", "7", False), ("x.size(0)", "7", "9", False)]),
        ("mark_unbacked", []),
        ("torch._check", []),
    ],
)
def test_what_was_asked_shows_in_the_rebuilds(
    name: str, rebuilds: list[tuple[str, str, str, bool]]
) -> None:
    with watch() as seen, contextlib.suppress(Exception):
        outcomes(name)
    told = [
        (event.source, event.expected, event.actual, event.automatic_dynamic)
        for event in seen.observation.recompile_events
    ]
    assert told == rebuilds


def test_a_branch_on_a_symbolic_size_is_a_condition() -> None:
    with watch() as seen:
        outcomes("a branch on the size")
    (event,) = seen.observation.recompile_events
    assert (event.cause, event.source, event.actual) == ("shape", "x.size(0)", "7")
    assert event.changes[0].special == "condition"
    assert not event.automatic_dynamic
    assert "branches on x.size(0)" in event.cure


def test_of_two_sizes_that_were_equal_the_one_that_changed_is_named() -> None:
    torch._dynamo.reset()
    with watch() as seen:
        compiled = torch.compile(plain, backend="eager", dynamic=True)
        compiled(torch.ones(4, 4))
        compiled(torch.ones(7, 4))
    (event,) = seen.observation.recompile_events
    assert (event.source, event.expected, event.actual) == (
        "x.size(0)",
        "equal to x.size(1)",
        "7",
    )
    assert event.changes[0].special == "duck_shape"
