"""Code that was compiled before the watch: its breaks are told, whatever is compiled in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
import torch._dynamo

from pytest_compilecheck.observe.source import source_line
from pytest_compilecheck.observe.values.observation import Observation
from pytest_compilecheck.observe.watch import Watch

ROOT = Path(__file__).parent
FOUR, FIVE = torch.ones(4), torch.ones(5)
Arguments = tuple[Any, ...]


@pytest.fixture(autouse=True)
def _clean() -> Iterator[None]:
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


def warm(
    function: Callable[..., Any],
    before: Sequence[Arguments],
    inside: Sequence[Arguments],
    *,
    anew: bool = False,
) -> Observation:
    """What a watch sees of the calls inside, after those before; `anew`: of another region."""
    region = torch.compile(function, backend="eager", dynamic=False)
    for arguments in before:
        region(*arguments)
    with Watch(ROOT) as seen:
        if anew:
            region = torch.compile(function, backend="eager", dynamic=False)
        for arguments in inside:
            region(*arguments)
    assert seen.observation.problems == ()
    return seen.observation


def earlier(seen: Observation) -> list[str]:
    """The lines at which code from before breaks."""
    return sorted(source_line(str(ROOT / at.file), at.line) for at in seen.earlier_breaks)


def helper(x: torch.Tensor) -> torch.Tensor:
    return x * 2


def loops(x: torch.Tensor) -> torch.Tensor:
    for _ in range(2):
        x = helper(x)
        torch._dynamo.graph_break()
    return x


@pytest.mark.parametrize("anew", [False, True])
@pytest.mark.parametrize("rebuilt", [False, True])
def test_a_function_left_to_python_shows_though_what_it_calls_is_rebuilt(
    rebuilt: bool, anew: bool
) -> None:
    seen = warm(loops, [(FOUR,)], [(FIVE if rebuilt else FOUR,)], anew=anew)
    assert earlier(seen) == ["def loops(x: torch.Tensor) -> torch.Tensor:"]
    assert seen.recompiles == rebuilt


def breaks_first(x: torch.Tensor, text: str) -> torch.Tensor:
    torch._dynamo.graph_break()
    return x * len(text)


@pytest.mark.parametrize("anew", [False, True])
@pytest.mark.parametrize("text", ["a", "new"])
def test_a_break_before_the_first_operation_shows_by_what_is_resumed(text: str, anew: bool) -> None:
    seen = warm(breaks_first, [(FOUR, "a")], [(FOUR, text)], anew=anew)
    assert earlier(seen) == ["torch._dynamo.graph_break()"]
    assert (seen.recompiles, seen.break_sites) == (int(text == "new"), ())


def breaks_inside(x: torch.Tensor, text: str) -> torch.Tensor:
    x = breaks_first(x, text)  # the call
    return x + 1


@pytest.mark.parametrize("text", ["a", "new"])
def test_a_break_in_what_is_called_shows_with_the_call(text: str) -> None:
    seen = warm(breaks_inside, [(FOUR, "a")], [(FOUR, text)])
    if "breaks_inside" in [event.function for event in seen.recompile_events]:
        # Torch 2.8 guards the text where it is passed on too, and tells of the break anew.
        assert [site.code for site in seen.break_sites] == ["torch._dynamo.graph_break()"]
        assert (text, earlier(seen)) == ("new", [])
        return
    assert earlier(seen) == ["torch._dynamo.graph_break()", "x = breaks_first(x, text)  # the call"]


def breaks_twice_first(x: torch.Tensor, text: str) -> torch.Tensor:
    torch._dynamo.graph_break()  # one
    torch._dynamo.graph_break()  # two
    return x * len(text)


def breaks_twice_last(x: torch.Tensor, text: str) -> tuple[torch.Tensor, str]:
    y = x + 1
    torch._dynamo.graph_break()  # one
    torch._dynamo.graph_break()  # two
    return y, text


def calls_what_breaks_twice(x: torch.Tensor, text: str) -> torch.Tensor:
    x = x + 1
    for _ in range(2):
        x = breaks_twice_first(x, text)
    return x


@pytest.mark.parametrize("text", ["a", "new"])
@pytest.mark.parametrize(
    "function", [breaks_twice_first, breaks_twice_last, calls_what_breaks_twice]
)
def test_two_breaks_with_no_operation_between_are_two(
    function: Callable[..., Any], text: str
) -> None:
    lines = ["torch._dynamo.graph_break()  # one", "torch._dynamo.graph_break()  # two"]
    found = earlier(warm(function, [(FOUR, "a")], [(FOUR, text)]))
    assert [line for line in found if "graph_break" in line] == lines


def breaks_and_loops(x: torch.Tensor) -> torch.Tensor:
    torch._dynamo.graph_break()  # in front
    for _ in range(2):
        x = helper(x)
        torch._dynamo.graph_break()
    return x


@pytest.mark.parametrize("x", [FOUR, FIVE])
def test_a_break_in_front_of_what_is_left_to_python_shows_too(x: torch.Tensor) -> None:
    seen = warm(breaks_and_loops, [(FOUR,)], [(x,)])
    assert "torch._dynamo.graph_break()  # in front" in earlier(seen)
    assert len(seen.earlier_breaks) == 2


def breaks_sometimes(x: torch.Tensor, flag: bool) -> torch.Tensor:
    if flag:
        torch._dynamo.graph_break()
    return x + 1


@pytest.mark.parametrize("x", [FOUR, FIVE])
def test_a_break_on_a_way_that_is_not_taken_is_none(x: torch.Tensor) -> None:
    assert earlier(warm(breaks_sometimes, [(FOUR, True), (FOUR, False)], [(x, False)])) == []


def breaks(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    torch._dynamo.graph_break()
    return y * 2


def test_a_break_that_is_told_again_is_that_site_alone() -> None:
    seen = warm(breaks, [(FOUR,)], [(FOUR,), (FIVE,)])
    assert (earlier(seen), len(seen.break_sites)) == ([], 1)


def test_what_was_seen_in_an_earlier_cut_is_from_before_the_next() -> None:
    region = torch.compile(breaks_twice_first, backend="eager", dynamic=False)
    lost = torch.compile(loops, backend="eager", dynamic=False)
    with Watch(ROOT) as watch:
        region(FOUR, "a")
        lost(FOUR)
        first = watch.cut()
        region(FOUR, "new")
        lost(FIVE)
        second = watch.cut()
    assert (len(first.break_sites), first.earlier_breaks) == (3, ())
    assert (second.break_sites, second.problems) == ((), ())
    assert len(earlier(second)) == 3


def decorated(function: Callable[..., Any]) -> Callable[..., Any]:
    def wrapper(*arguments: Any) -> Any:
        return function(*arguments)

    return wrapper


class Module(torch.nn.Module):
    @torch.no_grad()
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * 2


@pytest.mark.parametrize("x", [FOUR, FIVE])
@pytest.mark.parametrize("function", [helper, decorated(helper), Module(), torch.no_grad()(helper)])
def test_code_without_a_break_has_none(function: Callable[..., Any], x: torch.Tensor) -> None:
    assert earlier(warm(function, [(FOUR,)], [(x,)])) == []


# The recompile limit, reached before.


def splits(x: torch.Tensor, text: str, flag: bool) -> torch.Tensor:
    y = x + 1 if flag else x - 1
    torch._dynamo.graph_break()
    return y * len(text)


def test_a_limit_that_was_reached_before_is_told_beside_a_rebuild() -> None:
    with torch._dynamo.config.patch(recompile_limit=2):
        seen = warm(
            splits,
            [(FOUR, "a" * length, True) for length in range(3)],
            [(FOUR, "new", False), (FOUR, "other", False)],
        )
    assert [entry.kind for entry in seen.timeline] == ["recompile", "fallback"]
    (fallback,) = seen.fallbacks
    assert (fallback.kind, fallback.calls) == ("recompile_limit", (0, 1))


def test_at_the_limit_a_function_is_not_taken_for_one_that_breaks() -> None:
    def calls_it(x: torch.Tensor, text: str) -> torch.Tensor:
        return helper(x) * len(text)

    torch.compile(helper, backend="eager", dynamic=False)(FOUR)
    with torch._dynamo.config.patch(recompile_limit=1):
        seen = warm(calls_it, [(FOUR, "a"), (FOUR, "aa")], [(FOUR, "new")])
    assert [entry.graph_launches for entry in seen.timeline] == [1]  # of `helper`
    assert (earlier(seen), seen.fallbacks[0].kind) == ([], "recompile_limit")


def test_a_new_region_over_code_that_was_converted_in_the_watch_has_no_earlier_break() -> None:
    @torch.compiler.disable
    def noted(x: torch.Tensor) -> torch.Tensor:
        return x

    def inner(x: torch.Tensor) -> torch.Tensor:
        return noted(x + 1)

    def outer(x: torch.Tensor) -> torch.Tensor:
        return inner(x)

    torch._dynamo.reset()
    with Watch() as seen:
        for _ in range(2):
            torch.compile(outer, backend="eager")(torch.ones(3))
    assert [entry.kind for entry in seen.observation.timeline] == ["compile", "hit"]
    assert seen.observation.earlier_breaks == ()
