"""Backwards that AOTAutograd splits off: as many as the backend was asked for, no more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from functorch.compile import make_boxed_func
from observe.training import Counting, CountingAot, Counts, batch, kinds, model, train, watched
from torch import nn
from torch._dynamo.backends.common import aot_autograd
from torch._functorch._aot_autograd.runtime_wrappers import AOTDispatchAutograd

from pytest_compilecheck import watch

Call = Callable[..., Any]


class Breaks(nn.Module):
    """Two layers with a graph break between them."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(8, 8), nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.first(x).relu()
        torch._dynamo.graph_break()
        return self.second(y)


def without_grad(call: Call) -> None:
    with torch.no_grad():
        call(batch())


def only_forward(call: Call) -> None:
    call(batch())
    call(batch())


def forwards_of_new_sizes(call: Call) -> None:
    """A graph that saves a size has its backward compiled with it."""
    for rows in (4, 5, 6):
        call(batch(rows))


@pytest.mark.parametrize(
    ("made", "run", "counts", "told"),
    [
        (model, lambda call: train(call, 4, 4), Counts(1, 1), "compile hit"),
        (model, lambda call: train(call, 4, 5, 6), Counts(2, 2), "compile recompile hit"),
        (Breaks, lambda call: train(call, 4, 4), Counts(2, 2), "compile hit"),
        (model, without_grad, Counts(1, 0), "compile"),
        (model, only_forward, Counts(1, 0), "compile hit"),
        (model, forwards_of_new_sizes, Counts(2, 1), "compile recompile hit"),
    ],
    ids=["static", "new sizes", "break", "no_grad", "no backward", "compiled ahead"],
)
def test_backward_graphs_are_those_the_backend_compiled(
    made: Callable[[], nn.Module], run: Callable[[Call], None], counts: Counts, told: str
) -> None:
    aot = CountingAot()
    seen = watched(lambda: run(torch.compile(made(), backend=aot.backend)))
    assert aot.counts == counts
    assert (seen.graphs, seen.backward_graphs) == (counts.forward, counts.backward)
    assert kinds(seen) == told
    assert len(seen.break_sites) == (made is Breaks)


def test_the_eager_backend_compiles_no_backward() -> None:
    counting = Counting()
    seen = watched(lambda: train(torch.compile(model(), backend=counting), 4, 4))
    assert (seen.graphs, seen.backward_graphs, counting.graphs) == (1, 0, 1)


def test_a_backward_inside_the_region_is_a_break_with_one_backward_graph() -> None:
    aot, net = CountingAot(), model()

    @torch.compile(backend=aot.backend)
    def step(x: torch.Tensor) -> torch.Tensor:
        loss = net(x).sum()
        loss.backward()
        return loss * 2

    seen = watched(lambda: [step(batch()) for _ in range(2)])
    assert aot.counts == Counts(2, 1)  # what is behind the backward could have one and needs none
    assert (seen.graphs, seen.backward_graphs, kinds(seen)) == (2, 1, "compile hit")
    assert [site.code for site in seen.break_sites] == ["loss.backward()"]


def test_a_call_in_which_only_a_backward_is_compiled_is_a_compile() -> None:
    """The forward was compiled before, in a call without a backward."""
    aot, net, losses = CountingAot(), model(), []

    @torch.compiler.disable
    def learn(loss: torch.Tensor) -> None:
        if losses:
            loss.backward()

    @torch.compile(backend=aot.backend)
    def step(x: torch.Tensor) -> torch.Tensor:
        loss = net(x).sum()
        learn(loss)
        return loss * 2

    seen = watched(lambda: [losses.append(step(batch())) for _ in range(3)])
    assert aot.counts.backward == seen.backward_graphs == 1
    assert kinds(seen) == "compile compile hit"
    assert seen.backward_seconds == 0  # they are the call's
    assert seen.timeline[1].seconds > seen.timeline[1].compile_seconds > 0
    assert seen.hit_rate == 1 / 3


def test_a_double_backward_raises_as_without_the_watch() -> None:
    aot = CountingAot()
    call = torch.compile(model(), backend=aot.backend)
    x = batch().requires_grad_()

    def run() -> None:
        (gradient,) = torch.autograd.grad(call(x).pow(2).sum(), x, create_graph=True)
        with pytest.raises(RuntimeError, match="double backward"):
            gradient.sum().backward()

    seen = watched(run)
    assert (seen.graphs, seen.backward_graphs, aot.counts) == (1, 1, Counts(1, 1))


def test_a_backward_that_failed_to_compile_is_none() -> None:
    def fails(module: Any, inputs: Any) -> Any:
        raise ValueError("no backward here")

    backend = aot_autograd(
        fw_compiler=lambda module, _: make_boxed_func(module.forward), bw_compiler=fails
    )
    call = torch.compile(model(), backend=backend)
    torch._dynamo.reset()  # torch 2.8 crashes at an entry whose model is gone, watched or not
    with pytest.raises(ValueError, match="no backward here"), watch() as seen:
        train(call, 4)
    assert (seen.observation.graphs, seen.observation.backward_graphs) == (1, 0)


def test_seconds_of_a_late_backward_count_as_compiling() -> None:
    seen = watched(lambda: train(torch.compile(model(), backend=CountingAot().backend), 4, 4))
    in_calls = sum(entry.compile_seconds for entry in seen.timeline)
    assert seen.backward_seconds > 0
    assert seen.compile_seconds == in_calls + seen.backward_seconds


def test_a_backward_from_the_cache_counts_as_one_compiled() -> None:
    torch.manual_seed(0)
    net = model()

    def run() -> None:
        train(torch.compile(net, backend="inductor"), 4, 4)

    with torch._inductor.config.patch(force_disable_caches=False):
        first, again = watched(run), watched(run)
    for seen in (first, again):
        assert (seen.graphs, seen.backward_graphs, kinds(seen)) == (1, 1, "compile hit")
    assert again.backward_seconds == 0  # it came with the forward


def test_what_is_cut_from_a_watch_has_its_own_backwards() -> None:
    torch._dynamo.reset()
    call = torch.compile(model(), backend=CountingAot().backend)
    with watch() as seen:
        train(call, 4)
        first = seen.cut()
        train(call, 4)
        second = seen.cut()
    assert (first.backward_graphs, second.backward_graphs) == (1, 0)


def test_arguments_of_unknown_shape_fail_no_compile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AOTDispatchAutograd, "post_compile", staticmethod(lambda: "compiled"))
    with watch() as seen:
        assert AOTDispatchAutograd.post_compile() == "compiled"
    (problem,) = seen.observation.problems
    assert problem.startswith("a backward that is compiled already could not be read (IndexError:")
