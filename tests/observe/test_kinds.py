"""Kinds of breaks, calls and fallbacks that the programs of known truth lack."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
import torch
import torch._dynamo
from observe.facts import TORCH, Facts, Site, calls, facts, watched

from pytest_compilecheck import watch

X = torch.ones(4)
Thrice = ((X,), (X,), (X,))

# 2.8 has no id for this title.
BRANCH = "GB0170" if TORCH >= (2, 9) else None


@pytest.fixture(autouse=True)
def _clean() -> Iterator[None]:
    torch._dynamo.reset()
    yield
    torch.compiler.set_stance("default")
    torch._dynamo.reset()


def gives_up_the_rest(x: torch.Tensor) -> torch.Tensor:
    y = (x + 1) * 2
    torch._dynamo.step_unsupported()
    return y.relu()


@pytest.mark.skipif(TORCH < (2, 11), reason="torch has no step_unsupported() yet")
def test_a_break_that_leaves_the_rest_of_the_function_to_python() -> None:
    seen = watched(calls(gives_up_the_rest, *Thrice))
    assert facts(seen) == Facts(
        kinds="compile hit hit",
        launches=(1, 1, 1),
        graphs=1,
        sites=(Site("torch._dynamo.step_unsupported()", "gives_up_the_rest", "GB4636"),),
        fallbacks=(("skipped_frame", "gives_up_the_rest", (0,)),),
    )
    assert seen.break_sites[0].skips_function


def halves(x: torch.Tensor) -> Iterator[torch.Tensor]:
    yield x[:2] * 2
    yield x[2:] * 3


def test_a_generator_as_the_region_runs_eagerly() -> None:
    def run() -> None:
        compiled = torch.compile(halves, backend="eager")
        assert [len(half) for _ in range(2) for half in compiled(X)] == [2, 2, 2, 2]

    seen = watched(run)
    # Python 3.10 makes a generator without entering a frame, so torch is not asked.
    entered = sys.version_info >= (3, 11)
    kind, function = ("skipped_frame", "halves") if entered else ("nothing_compiled", None)
    assert facts(seen) == Facts(
        kinds="fallback fallback",
        launches=(0, 0),
        graphs=0,
        fallbacks=((kind, function, (0, 1)),),
    )
    assert ("generator" in seen.fallbacks[0].reason) == entered


def two_on_one_line(x: torch.Tensor) -> torch.Tensor:
    total = float(x.sum()) + float(x.max())
    return x * total


def test_two_equal_breaks_on_one_line_are_two_sites() -> None:
    seen = watched(calls(two_on_one_line, *Thrice))
    # 2.8 tells no columns, so the two cannot be told apart.
    count = 2 if seen.break_sites[0].column is not None else 1
    site = Site("total = float(x.sum()) + float(x.max())", "two_on_one_line", "GB0124", 2 / count)
    assert facts(seen) == Facts(
        kinds="compile hit hit", launches=(3, 3, 3), graphs=3, sites=(site,) * count
    )
    assert [each.events for each in seen.break_sites] == [2 // count] * count
    if count == 2:
        first, second = seen.break_sites
        assert site.code[first.column - 5 : first.end_column - 5] == "float(x.sum())"
        assert site.code[second.column - 5 : second.end_column - 5] == "float(x.max())"


def breaks_once(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    print("between")
    return y.relu()


def test_a_region_compiled_before_the_watch() -> None:
    compiled = torch.compile(breaks_once, backend="eager")
    compiled(X)
    with watch() as seen:
        compiled(X)
        compiled(X)
    # The break happened before the watch; the graphs that run show that nothing runs eagerly.
    assert facts(seen.observation) == Facts(kinds="hit hit", launches=(2, 2), graphs=0)


def test_a_recompile_shows_the_break_of_a_region_compiled_before_the_watch() -> None:
    compiled = torch.compile(breaks_once, backend="eager")
    compiled(X)
    with watch() as seen:
        compiled(torch.ones(5))
        compiled(torch.ones(6))
    assert facts(seen.observation) == Facts(
        kinds="recompile hit",
        launches=(2, 2),
        graphs=2,
        sites=(Site('print("between")', "breaks_once", "GB0059"),),
        recompiles=(0, 0),
    )


def chooses(x: torch.Tensor) -> torch.Tensor:
    return torch.cond(x.sum() > 0, torch.sin, torch.cos, (x,))


def test_what_cond_compiles_itself_where_it_is_left_to_python_is_a_graph() -> None:
    compiled = torch.compile(chooses, backend="eager", dynamic=False)
    with torch._dynamo.config.patch(recompile_limit=1), watch() as seen:
        for size in (3, 4, 4):
            compiled(torch.ones(size))
    assert facts(seen.observation) == Facts(
        kinds="compile compile fallback",
        launches=(1, 1, 1),
        graphs=2,
        fallbacks=(("recompile_limit", "chooses", (1, 2)),),
    )


def branches(x: torch.Tensor) -> torch.Tensor:
    return x + 1 if x.max().item() > 1 else x


def calls_what_branches(x: torch.Tensor) -> torch.Tensor:
    return branches(x) * 2


def test_a_branch_on_a_captured_number_is_one_site_where_it_is_inlined_too() -> None:
    with torch._dynamo.config.patch(capture_scalar_outputs=True):
        seen = watched(calls(calls_what_branches, *Thrice))
    (site,) = seen.break_sites
    assert (site.function, site.reason, site.gb_id, site.events) == (
        "branches",
        "Data-dependent branching",
        BRANCH,
        2,
    )


def below(x: torch.Tensor) -> torch.Tensor:
    return x.cos()


@torch._dynamo.disable(recursive=False)
def left_alone(x: torch.Tensor) -> torch.Tensor:
    return below(x)


def calls_what_is_left_alone(x: torch.Tensor) -> torch.Tensor:
    return left_alone(x)


def test_what_runs_under_cached_code_is_not_the_regions_own_function() -> None:
    first = torch.compile(calls_what_is_left_alone, backend="eager")
    second = torch.compile(calls_what_is_left_alone, backend="eager")
    with watch() as seen:
        first(X)
        second(X)  # torch looks at `left_alone` anew in each call, and at nothing else
        second(X)
    assert facts(seen.observation) == Facts(
        kinds="compile hit hit",
        launches=(1, 1, 1),
        graphs=1,
        sites=(Site("return left_alone(x)", "calls_what_is_left_alone", "GB0099", None),),
    )
    # Sizes are those of the region's own function, which torch converts in the first call alone.
    assert [dict(entry.sizes) for entry in seen.observation.timeline] == [{"x": (4,)}, {}, {}]


def runs_a_string(x: torch.Tensor) -> torch.Tensor:
    with contextlib.ExitStack():
        exec("1")
        return below(x)


def test_what_runs_under_a_function_that_was_given_up_is_not_the_regions_own() -> None:
    first = torch.compile(runs_a_string, backend="eager")
    second = torch.compile(runs_a_string, backend="eager")
    with watch() as seen:
        first(X)
        second(X)
    assert [entry.kind for entry in seen.observation.timeline] == ["compile", "hit"]
    assert {f.function for f in seen.observation.fallbacks} == {"runs_a_string"}


def refuses(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    raise ValueError("no")
    return y


def called_in_except(function: Callable[..., Any]) -> Callable[[], None]:
    def run() -> None:
        compiled = torch.compile(function, backend="eager")
        for _ in range(2):
            try:
                raise KeyError("outside")
            except KeyError:
                with contextlib.suppress(ValueError):
                    compiled(X)

    return run


def test_a_call_inside_an_except_block_is_no_error() -> None:
    seen = watched(called_in_except(breaks_once))
    assert facts(seen) == Facts(
        kinds="compile hit",
        launches=(2, 2),
        graphs=2,
        sites=(Site('print("between")', "breaks_once", "GB0059"),),
    )


def test_a_call_that_raises_inside_an_except_block_is_an_error() -> None:
    seen = watched(called_in_except(refuses))
    assert [entry.kind for entry in seen.timeline] == ["error", "error"]
    assert [entry.error for entry in seen.timeline] == ["ValueError: no"] * 2


def in_threads(work: Callable[[], None], count: int = 4) -> None:
    threads = [threading.Thread(target=work) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def doubled(x: torch.Tensor) -> torch.Tensor:
    return x * 2


def test_four_threads_make_two_hundred_calls() -> None:
    def work() -> None:
        for _ in range(50):
            compiled(X)

    compiled = torch.compile(doubled, backend="eager")

    def run() -> None:
        compiled(X)
        in_threads(work)

    seen = watched(run)
    assert facts(seen) == Facts(
        kinds=" ".join(["compile"] + ["hit"] * 200), launches=(1,) * 201, graphs=1
    )
    assert [entry.call for entry in seen.timeline] == list(range(201))


def test_threads_that_compile_at_once_are_counted_as_torch_compiled() -> None:
    compiled_graphs = []

    def backend(module: torch.fx.GraphModule, inputs: list[torch.Tensor]) -> Callable[..., Any]:
        compiled_graphs.append(module)
        return module.forward

    compiled = torch.compile(doubled, backend=backend)

    def work() -> None:
        for _ in range(50):
            compiled(X)

    seen = watched(lambda: in_threads(work))
    kinds = [entry.kind for entry in seen.timeline]
    assert len(kinds) == 200
    assert kinds.count("hit") == 200 - len(compiled_graphs)
    assert (seen.graphs, seen.fallbacks) == (len(compiled_graphs), ())
    assert [entry.graph_launches for entry in seen.timeline] == [1] * 200


def until_large(x: torch.Tensor) -> torch.Tensor:
    while x.sum() < 20:
        x = x + 1
    return x * 2


def test_a_while_on_data_launches_a_graph_for_each_turn() -> None:
    zeros = torch.zeros(4)
    seen = watched(calls(until_large, (zeros,), (zeros,), (X,)))
    # Six conditions from zero, five from one: the loop ends at a sum of 20.
    site = Site("while x.sum() < 20:", "until_large", BRANCH, 5.5)
    expected = Facts(kinds="compile hit hit", launches=(7, 7, 6), graphs=3, sites=(site,))
    if sys.version_info >= (3, 12):
        # The jump back stands behind the condition now: torch sees a loop that it cannot resume.
        expected = replace(
            expected,
            launches=(1, 1, 1),
            graphs=1,
            sites=(replace(site, executions=None),),
            fallbacks=(("skipped_frame", "until_large", (0,)),),
        )
    assert facts(seen) == expected


def tripled(x: torch.Tensor) -> torch.Tensor:
    return x * 3


def test_the_first_call_under_eager_then_compile_is_a_disabled_one() -> None:
    torch.compiler.set_stance("eager_then_compile")
    # 2.8 may take its own graph for that of another backend and compile the third call again.
    count = 3 if TORCH >= (2, 13) else 2
    # A function that no other test calls: whether a call is the first survives a reset.
    seen = watched(calls(tripled, *Thrice[:count]))
    assert facts(seen) == Facts(
        kinds=" ".join(["fallback", "compile", "hit"][:count]),
        launches=(0, 1, 1)[:count],
        graphs=1,
        fallbacks=(("disabled", None, (0,)),),
    )
    assert "eager_then_compile" in seen.fallbacks[0].reason


def test_a_break_in_full_graph_mode_is_a_site_of_a_call_that_raised() -> None:
    seen = watched(calls(breaks_once, (X,), (X,), fullgraph=True))
    assert facts(seen) == Facts(
        kinds="error error",
        launches=(0, 0),
        graphs=0,
        sites=(Site('print("between")', "breaks_once", "GB0059", None),),
    )
    assert seen.break_sites[0].event_calls == (0, 1)
    assert seen.timeline[0].error is not None
    assert seen.timeline[0].error.startswith("Unsupported: ")


def checked_after_a_break(x: torch.Tensor, limit: int) -> torch.Tensor:
    y = x + 1
    print("between")
    z = y * 2
    if limit > 3:
        raise ValueError(limit)
    return z.relu()


def test_an_exception_in_a_resume_function_makes_it_eager_for_good() -> None:
    seen = watched(calls(checked_after_a_break, (X, 1), (X, 1), (X, 5), (X, 1)))
    function = "checked_after_a_break"
    # Of the last call the first half still hits, and nothing tells that the second runs eagerly.
    assert facts(seen) == Facts(
        kinds="compile hit error hit",
        launches=(2, 2, 1, 1),
        graphs=2,
        sites=(
            Site('print("between")', function, "GB0059"),
            Site("raise ValueError(limit)", function, "GB0088", None),
        ),
        fallbacks=(("skipped_frame", function, (2,)),),
    )
    assert [(each.call, each.outcome) for each in seen.recompile_attempts] == [
        (2, "user_exception")
    ]
    assert seen.timeline[2].error == "ValueError: 5"
