"""Graphs that torch has compiled once more as they run, for sizes that an input names special."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from observe.facts import TORCH
from observe.training import Counting, kinds, watched

from pytest_compilecheck import watch
from pytest_compilecheck.observe.values.observation import Observation

pytestmark = pytest.mark.skipif(
    "specialize_on" not in inspect.signature(torch._dynamo.mark_dynamic).parameters,
    reason="this torch compiles no graph once more",
)


def special(size: Any) -> bool:
    return size == 8


def marked(size: int) -> torch.Tensor:
    x = torch.ones(size)
    torch._dynamo.mark_dynamic(x, 0, specialize_on=[special])
    return x


def doubled(x: torch.Tensor) -> torch.Tensor:
    return x * 2 + 1


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


def counts(seen: Observation) -> tuple[int | None, int | None, int | None]:
    return seen.graphs, seen.captured_ops, seen.recompiles


def test_a_call_that_has_its_graph_compiled_once_more_is_a_compile() -> None:
    backend = Counting()
    compiled = torch.compile(doubled, backend=backend)
    seen = watched(lambda: [compiled(marked(size)) for size in (6, 8, 8, 6)])
    assert kinds(seen) == "compile compile hit hit"
    assert (backend.graphs, counts(seen)) == (2, (2, 2, 0))
    assert [entry.graph_launches for entry in seen.timeline] == [1, 1, 1, 1]
    assert [entry.compile_seconds > 0 for entry in seen.timeline] == [True, True, False, False]
    assert (seen.fallbacks, seen.problems, seen.hit_rate) == ((), (), 0.5)


def test_the_first_call_may_compile_both() -> None:
    backend = Counting()
    compiled = torch.compile(doubled, backend=backend)
    seen = watched(lambda: [compiled(marked(8)), compiled(marked(6))])
    assert kinds(seen) == "compile hit"
    assert (backend.graphs, counts(seen)) == (2, (2, 2, 0))


@pytest.mark.skipif(
    TORCH < (2, 9), reason="torch.compile's own reset hangs after this in 2.8, without a watch too"
)
def test_each_piece_of_a_function_has_its_own() -> None:
    @torch.compiler.disable
    def mark(x: torch.Tensor) -> torch.Tensor:
        torch._dynamo.mark_dynamic(x, 0, specialize_on=[special])
        return x

    def broken(x: torch.Tensor) -> torch.Tensor:
        return mark(x * 2) + 1

    backend = Counting()
    compiled = torch.compile(broken, backend=backend)
    seen = watched(lambda: [compiled(marked(size)) for size in (6, 8, 8)])
    assert backend.graphs == seen.graphs == 4
    assert (seen.captured_ops, seen.problems) == (2, ())
    assert kinds(seen) == "compile compile hit"


def test_a_graph_from_before_the_watch_may_have_one() -> None:
    backend = Counting()
    compiled = torch.compile(doubled, backend=backend)
    compiled(marked(6))
    with watch() as seen:
        compiled(marked(8))
        compiled(marked(8))
    assert kinds(seen.observation) == "compile hit"
    assert (backend.graphs, counts(seen.observation)) == (2, (1, 0, 0))


def test_one_that_fails_to_compile_is_an_error_of_the_compiler() -> None:
    graphs: list[Any] = []

    def fails_later(module: Any, inputs: Any) -> Any:
        graphs.append(module)
        if len(graphs) > 1:
            raise ValueError("no graph for this size")
        return module.forward

    compiled = torch.compile(doubled, backend=fails_later)

    def run() -> None:
        compiled(marked(6))
        with pytest.raises(Exception, match="no graph for this size"):
            compiled(marked(8))

    seen = watched(run)
    assert kinds(seen) == "compile error"
    assert [entry.failed_to_compile for entry in seen.timeline] == [False, True]
    assert seen.graphs == 1


def test_what_a_profile_function_computes_is_none() -> None:
    """torch compiles it too, in the midst of a call, and no hook is told of its frame."""
    backend = Counting()

    def computes(size: int) -> torch.Tensor:
        return torch.ones(size).mul(7)

    def profile(*_: Any) -> None:
        computes(3)

    def left_to_python(x: torch.Tensor) -> torch.Tensor:
        for _ in range(1):
            sys.setprofile(profile)
            len("")
            sys.setprofile(None)
        return x

    def profiled(x: torch.Tensor) -> torch.Tensor:
        return left_to_python(x * 2) + 1

    seen = watched(lambda: torch.compile(profiled, backend=backend)(torch.ones(2)))
    assert (seen.graphs, seen.captured_ops) == (2, 2)
    # From Python 3.12 on what runs below a profile function is not torch's to compile.
    assert backend.graphs == (3 if sys.version_info < (3, 12) else 2)


@pytest.mark.slow
def test_kernels_of_a_call_are_those_of_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path))
    compiled: Callable[[torch.Tensor], torch.Tensor] = torch.compile(doubled, backend="inductor")
    seen = watched(lambda: [compiled(marked(size)) for size in (6, 8, 8)])
    assert kinds(seen) == "compile compile hit"
    assert [entry.kernels for entry in seen.timeline] == [1, 1, 1]
    assert [kernel.launches for kernel in seen.kernels or ()] == [1]
