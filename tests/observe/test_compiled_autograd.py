"""Compiled autograd: its graphs are backward graphs, its rebuilds recompiles, its breaks sites."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
import torch._dynamo.config
from observe.training import (
    Counting,
    CountingAot,
    Counts,
    batch,
    kinds,
    model,
    recompiles,
    train,
    watched,
)
from torch import nn
from torch._dynamo import compiled_autograd

from pytest_compilecheck.observe.values.observation import Observation

ANEW = "the backward's autograd graph"


@pytest.fixture(autouse=True)
def _clean() -> Iterator[None]:
    yield
    torch._dynamo.reset()


def enabled(run: Callable[[], object], backend: Any, **options: Any) -> Observation:
    """What is seen of a program whose backwards go to a backend."""

    def all_of_it() -> None:
        dynamic = options.get("dynamic", True)
        with compiled_autograd._enable(
            lambda graph: torch.compile(graph, backend=backend, **options), dynamic=dynamic
        ):
            run()

    return watched(all_of_it)


def zeroed(net: nn.Module, call: Callable[..., Any], *rows: int) -> None:
    """Steps that begin without gradients."""
    for count in rows:
        net.zero_grad(set_to_none=True)
        train(call, count)


def test_its_graphs_are_backward_graphs_and_its_runs_are_calls() -> None:
    forward, backward, net = Counting(), Counting(), model()
    call = torch.compile(net, backend=forward)
    seen = enabled(lambda: zeroed(net, call, 4, 4, 4), backward)
    assert (seen.graphs, seen.backward_graphs) == (forward.graphs, backward.graphs) == (1, 1)
    assert kinds(seen) == "compile compile hit hit hit hit"
    assert [entry.region for entry in seen.timeline[:2]] == ["Sequential", "CompiledAutograd0"]
    assert seen.captured_ops == 2  # those of the forward
    assert seen.recompiles == 0


def test_with_aot_autograd_only_what_is_compiled_counts() -> None:
    forward, backward, net = CountingAot(), CountingAot(), model()
    call = torch.compile(net, backend=forward.backend)
    seen = enabled(lambda: zeroed(net, call, 4, 4), backward.backend)
    assert (forward.counts, backward.counts) == (Counts(1, 0), Counts(1, 0))
    assert (seen.graphs, seen.backward_graphs) == (1, 1)


def test_gradients_that_exist_are_another_backward() -> None:
    backward, net = Counting(), model()
    seen = enabled(lambda: train(net, 4, 4, 4), backward)
    assert (seen.graphs, seen.backward_graphs, backward.graphs) == (0, 2, 2)
    assert kinds(seen) == "compile recompile hit"
    assert recompiles(seen) == [(1, "other", ANEW)]
    (event,) = seen.recompile_events
    assert (event.expected, event.actual) == ("5 tensors", "7 tensors")
    assert "zero_grad(set_to_none=True)" in event.cure
    assert seen.earlier_codes == 0


def test_a_new_size_is_a_recompile_of_the_backward() -> None:
    backward, net = Counting(), model()
    seen = enabled(lambda: zeroed(net, net, 4, 5), backward, dynamic=False)
    assert (seen.backward_graphs, backward.graphs) == (2, 2)
    assert recompiles(seen) == [(1, "shape", "a tensor that the backward uses")]
    (event,) = seen.recompile_events
    assert (event.expected, event.actual) == ("4x8", "5x8")


def test_sizes_that_become_symbols_are_recompiled_once() -> None:
    """The capture serves all sizes by itself; what Dynamo made of it is rebuilt for the second."""
    backward, net = Counting(), model()
    seen = enabled(lambda: zeroed(net, net, 4, 5, 6), backward)
    assert kinds(seen) == "compile recompile hit"
    assert (seen.backward_graphs, backward.graphs) == (2, 2)
    (event,) = seen.recompile_events
    assert (event.cause, event.automatic_dynamic) == ("shape", True)


def test_another_model_is_no_recompile() -> None:
    backward, nets = Counting(), [model(), nn.Sequential(nn.Linear(8, 16), nn.ReLU())]
    seen = enabled(lambda: [zeroed(net, net, 4) for net in nets], backward, dynamic=False)
    assert (seen.backward_graphs, seen.recompiles, kinds(seen)) == (2, 0, "compile compile")


def test_another_model_of_the_same_sizes_shares_the_backward() -> None:
    backward, nets = Counting(), [model(), model()]
    seen = enabled(lambda: [zeroed(net, net, 4) for net in nets], backward)
    assert (seen.backward_graphs, backward.graphs, kinds(seen)) == (1, 1, "compile hit")


def test_another_loss_is_no_recompile() -> None:
    backward, net = Counting(), model()

    def run() -> None:
        zeroed(net, net, 4)
        zeroed(net, lambda x: net(x).pow(2), 4)

    seen = enabled(run, backward)
    assert (seen.backward_graphs, seen.recompiles, kinds(seen)) == (2, 0, "compile compile")


def test_a_break_in_a_hook_stands_at_the_hook() -> None:
    backward, net = Counting(), model()

    def hook(gradient: torch.Tensor) -> torch.Tensor:
        doubled = gradient * 2
        torch._dynamo.graph_break()
        return doubled + 1

    def loss(x: torch.Tensor) -> torch.Tensor:
        out = net(x)
        out.register_hook(hook)
        return out

    seen = enabled(lambda: zeroed(net, loss, 4, 4), backward)
    assert [(site.code, site.function) for site in seen.break_sites] == [
        ("torch._dynamo.graph_break()", "hook")
    ]
    assert (seen.graphs, seen.backward_graphs) == (0, backward.graphs)
    assert kinds(seen) == "compile hit"


def test_a_python_value_in_a_hook_makes_recompiles() -> None:
    backward, net = Counting(), model()
    norms: list[float] = []
    net[0].weight.register_post_accumulate_grad_hook(lambda p: norms.append(p.grad.sum().item()))
    seen = enabled(lambda: zeroed(net, net, 4, 4, 4), backward)
    assert len(norms) == 3
    assert recompiles(seen) == [(call, "container_length", "len(norms)") for call in (1, 2)]
    assert seen.backward_graphs == backward.graphs


def test_the_config_captures_the_backward_inside_the_region() -> None:
    backend, net = Counting(), model()
    with torch._dynamo.config.patch(compiled_autograd=True):

        @torch.compile(backend=backend)
        def step(x: torch.Tensor) -> torch.Tensor:
            loss = net(x).sum()
            loss.backward()
            return loss * 2

        def run() -> None:
            for _ in range(3):
                net.zero_grad(set_to_none=True)
                step(batch())

        seen = watched(run)
    assert (seen.graphs, seen.backward_graphs) == (2, 1)
    assert backend.graphs == 3
    assert kinds(seen) == "compile hit hit"
    assert [site.code for site in seen.break_sites] == ["loss.backward()"]
    assert [entry.graph_launches for entry in seen.timeline] == [3, 3, 3]


def test_a_rebuild_of_both_in_one_call_is_one_recompile() -> None:
    net = model()
    with torch._dynamo.config.patch(compiled_autograd=True):

        @torch.compile(backend="eager", dynamic=False)
        def step(x: torch.Tensor) -> torch.Tensor:
            loss = net(x).sum()
            loss.backward()
            return loss.detach()

        def run() -> None:
            for rows in (4, 5):
                net.zero_grad(set_to_none=True)
                step(batch(rows))

        seen = watched(run)
    assert [(call, cause) for call, cause, _ in recompiles(seen)] == [(1, "shape"), (1, "shape")]
    assert (seen.recompiles, kinds(seen)) == (1, "compile recompile")


def test_the_config_compiles_no_backward_outside_the_region() -> None:
    backend, net = Counting(), model()
    with torch._dynamo.config.patch(compiled_autograd=True):
        call = torch.compile(net, backend=backend)
        seen = watched(lambda: train(call, 4, 4))
    assert (seen.graphs, seen.backward_graphs, backend.graphs) == (1, 0, 1)
