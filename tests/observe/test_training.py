"""Training steps: hooks, checkpoints, autocast, optimizers, modes and updates in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from observe.facts import TORCH
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
from torch.utils.checkpoint import checkpoint

from pytest_compilecheck.observe.values.observation import Observation

# Up to 2.10 torch has no graph for a hook on a tensor that is made in the region.
HOOKS_BREAK = TORCH < (2, 11)


def reasons(seen: Any) -> list[str]:
    return [site.reason for site in seen.break_sites]


# Hooks.


def test_a_hook_on_a_tensor_made_in_the_region() -> None:
    aot, layer = CountingAot(), nn.Linear(8, 8)

    @torch.compile(backend=aot.backend)
    def step(x: torch.Tensor) -> torch.Tensor:
        out = layer(x)
        out.register_hook(lambda gradient: gradient * 2)
        return out.sum()

    seen = watched(lambda: train(step, 4, 4))
    graphs = 2 if HOOKS_BREAK else 1
    assert aot.counts == Counts(graphs, graphs)
    assert (seen.graphs, seen.backward_graphs) == (graphs, graphs)
    assert len(seen.break_sites) == HOOKS_BREAK


def test_a_hook_on_a_parameter_runs_outside_the_graphs() -> None:
    aot, net, ran = CountingAot(), model(), []
    net[0].weight.register_post_accumulate_grad_hook(ran.append)
    seen = watched(lambda: train(torch.compile(net, backend=aot.backend), 4, 4))
    assert (len(ran), kinds(seen), seen.break_sites) == (2, "compile hit", ())
    assert aot.counts == Counts(1, 1) == Counts(seen.graphs, seen.backward_graphs)


def test_a_forward_hook_is_part_of_the_graph() -> None:
    backend, net = Counting(), model()
    net[0].register_forward_hook(lambda module, inputs, out: out * 2)
    seen = watched(lambda: train(torch.compile(net, backend=backend), 4, 4))
    assert (seen.graphs, backend.graphs, seen.break_sites, kinds(seen)) == (1, 1, (), "compile hit")


def test_a_backward_hook_of_a_module_leaves_nothing_compiled() -> None:
    aot, net = CountingAot(), model()
    net[0].register_full_backward_hook(lambda module, inputs, outputs: None)
    call = torch.compile(net, backend=aot.backend)
    seen = watched(lambda: train(lambda x: call(x.requires_grad_()), 4, 4))
    assert (seen.graphs, seen.backward_graphs, aot.counts) == (0, 0, Counts(0, 0))
    assert kinds(seen) == "fallback fallback"
    assert [each.kind for each in seen.fallbacks] == ["nothing_compiled"]
    assert [reason[:29] for reason in reasons(seen)] == ["Module-level backwards hooks "]


# Activation checkpoints.


class Checkpointed(nn.Module):
    """A block that is run again in the backward."""

    def __init__(self, reentrant: bool, breaks: bool) -> None:
        super().__init__()
        self.inner, self.reentrant, self.breaks = model(), reentrant, breaks

    def block(self, x: torch.Tensor) -> torch.Tensor:
        y = self.inner(x)
        if self.breaks:
            torch._dynamo.graph_break()
        return y.sin()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return checkpoint(self.block, x, use_reentrant=self.reentrant).cos()


@pytest.mark.parametrize("reentrant", [False, True])
@pytest.mark.parametrize("breaks", [False, True])
def test_a_checkpoint_inside_the_region(reentrant: bool, breaks: bool) -> None:
    """With a break in it torch runs the block eagerly and compiles what comes after."""
    aot = CountingAot()
    call = torch.compile(Checkpointed(reentrant, breaks), backend=aot.backend)
    seen = watched(lambda: train(lambda x: call(x.requires_grad_()), 4, 4))
    assert aot.counts == Counts(1, 1) == Counts(seen.graphs, seen.backward_graphs)
    assert [site.function for site in seen.break_sites] == ["block"] * breaks


@pytest.mark.parametrize(
    ("reentrant", "told", "forwards"),
    [(False, "compile hit hit hit", 1), (True, "compile recompile hit hit", 2)],
)
def test_a_region_inside_a_checkpoint_is_called_twice(
    reentrant: bool, told: str, forwards: int
) -> None:
    """torch ends the second run with an exception of its own, which is no error of the call."""
    aot = CountingAot()
    call = torch.compile(model(), backend=aot.backend)

    def step(x: torch.Tensor) -> Any:
        return checkpoint(call, x.requires_grad_(), use_reentrant=reentrant)

    seen = watched(lambda: train(step, 4, 4))
    assert (kinds(seen), aot.counts) == (told, Counts(forwards, 1))
    assert [entry.error for entry in seen.timeline] == [None] * 4
    grad_mode = [(1, "global_state", "grad mode")]
    assert recompiles(seen) == (grad_mode if reentrant else [])


# Modes.


def test_autocast_switched_on_is_one_recompile() -> None:
    backend = Counting()
    call = torch.compile(model(), backend=backend)

    def run() -> None:
        for on in (False, True, False, True):
            with torch.autocast("cpu", dtype=torch.bfloat16, enabled=on):
                call(batch()).sum().backward()

    seen = watched(run)
    assert recompiles(seen) == [(1, "global_state", "autocast on cpu")]
    assert (kinds(seen), backend.graphs) == ("compile recompile hit hit", 2)


def test_train_and_eval_have_a_graph_each() -> None:
    backend = Counting()
    net = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5))
    call = torch.compile(net, backend=backend)
    seen = watched(lambda: [(net.train(on), call(batch())) for on in (True, False, True, False)])
    assert [(at, cause) for at, cause, _ in recompiles(seen)] == [(1, "module_state")]
    assert (kinds(seen), backend.graphs) == ("compile recompile hit hit", 2)


# Updates in place, scalers, optimizers.


class Counter(nn.Module):
    """Counts its calls in a buffer, in place."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("calls", torch.zeros(1))
        self.inner = model()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.calls.add_(1)
        return self.inner(x) * self.calls


@pytest.mark.parametrize(
    "made", [Counter, lambda: nn.Sequential(nn.Linear(8, 8), nn.BatchNorm1d(8))]
)
def test_buffers_updated_in_place_need_no_second_graph(made: Callable[[], nn.Module]) -> None:
    aot = CountingAot()
    seen = watched(lambda: train(torch.compile(made(), backend=aot.backend), 4, 4, 4))
    assert (kinds(seen), aot.counts) == ("compile hit hit", Counts(1, 1))
    assert seen.recompiles == 0


@pytest.mark.parametrize("scaled", [False, True])
def test_an_optimizer_around_a_compiled_model_is_no_part_of_it(scaled: bool) -> None:
    aot, net = CountingAot(), model()
    call = torch.compile(net, backend=aot.backend)
    optimizer = torch.optim.AdamW(net.parameters())
    scaler = torch.amp.GradScaler("cpu", enabled=scaled)

    def run() -> None:
        for _ in range(3):
            optimizer.zero_grad()
            scaler.scale(call(batch()).sum()).backward()
            scaler.step(optimizer)
            scaler.update()

    seen = watched(run)
    assert (kinds(seen), aot.counts) == ("compile hit hit", Counts(1, 1))
    assert (seen.graphs, seen.backward_graphs, seen.break_sites) == (1, 1, ())


LR = "self.param_groups[0]['lr']"


@pytest.mark.parametrize(
    ("kind", "rate", "scheduled", "rebuilt"),
    [
        (torch.optim.AdamW, 0.01, False, []),
        (torch.optim.AdamW, 0.01, True, [(1, "python_value", LR)]),
        (torch.optim.SGD, 0.01, True, [(1, "python_value", LR)]),
        (torch.optim.AdamW, torch.tensor(0.01), True, []),
    ],
    ids=["constant", "scheduled float", "scheduled float of SGD", "scheduled tensor"],
)
def test_a_compiled_optimizer_step(
    kind: Any, rate: Any, scheduled: bool, rebuilt: list[Any]
) -> None:
    """A learning rate that is a number is fixed first, then symbolic."""
    backend, net = Counting(), model()
    rate = rate.clone() if isinstance(rate, torch.Tensor) else rate
    optimizer = kind(net.parameters(), lr=rate)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.9) if scheduled else None

    @torch.compile(backend=backend)
    def step() -> None:
        optimizer.step()

    def run() -> None:
        for _ in range(4):
            optimizer.zero_grad()
            net(batch()).sum().backward()
            step()
            if schedule is not None:
                schedule.step()

    seen = watched(run)
    assert recompiles(seen) == rebuilt
    assert kinds(seen) == ("compile recompile hit hit" if rebuilt else "compile hit hit hit")
    assert seen.graphs == backend.graphs == 1 + len(rebuilt)
    told = [(site.gb_id, site.code) for site in seen.break_sites]
    if scheduled:  # a schedule wraps `step` in a function that torch does not trace
        # 2.8 calls it an unsupported method, later ones a function that is marked as skipped.
        wrapped = ("GB0156" if TORCH < (2, 10) else "GB0007", "optimizer.step()")
        assert told == [wrapped, ("GB0025", "torch._dynamo.graph_break()")]
    else:
        assert told == [("GB0025", "optimizer.step()")]


def of_two_steps(**options: Any) -> tuple[Observation, Counting]:
    """What is seen of two steps of training with a compiled AdamW, and its backend."""
    backend, net = Counting(), model()
    step = torch.compile(torch.optim.AdamW(net.parameters(), **options).step, backend=backend)

    def run() -> None:
        for _ in range(2):
            net(batch()).sum().backward()
            step()

    return watched(run), backend


def test_a_compiled_foreach_step_alone_breaks_in_torch() -> None:
    seen, backend = of_two_steps(foreach=True)
    assert (kinds(seen), seen.graphs, backend.graphs) == ("compile hit", 1, 1)
    assert [(site.gb_id, site.owner) for site in seen.break_sites] == [("GB0025", "torch")]


def test_a_fused_step_leaves_nothing_compiled() -> None:
    seen, backend = of_two_steps(fused=True)
    assert (seen.graphs, backend.graphs, kinds(seen)) == (0, 0, "fallback fallback")
    assert [each.kind for each in seen.fallbacks] == ["nothing_compiled"]
    assert "GB0098" in [site.gb_id for site in seen.break_sites]
