"""Small models to train, backends that count, and what a watch says of a training program."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from functorch.compile import make_boxed_func
from torch import nn
from torch._dynamo.backends.common import aot_autograd

from pytest_compilecheck import watch
from pytest_compilecheck.observe.values.observation import Observation


@dataclass(slots=True)
class Counts:
    """How often torch asked backends for a forward and for a backward."""

    forward: int = 0
    backward: int = 0


class CountingAot:
    """A backend of AOTAutograd that counts what it compiles."""

    def __init__(self) -> None:
        self.counts = Counts()
        self.backend = aot_autograd(
            fw_compiler=self._forward, bw_compiler=self._backward, inference_compiler=self._forward
        )

    def _forward(self, module: Any, _: Any) -> Any:
        self.counts.forward += 1
        return make_boxed_func(module.forward)

    def _backward(self, module: Any, _: Any) -> Any:
        self.counts.backward += 1
        return make_boxed_func(module.forward)


class Counting:
    """A backend that runs graphs as they are and counts them."""

    def __init__(self) -> None:
        self.graphs = 0

    def __call__(self, module: torch.fx.GraphModule, _: Any) -> Callable[..., Any]:
        self.graphs += 1
        return module.forward


def model() -> nn.Sequential:
    """A linear layer and a ReLU, on 8 features."""
    return nn.Sequential(nn.Linear(8, 8), nn.ReLU())


def batch(rows: int = 4) -> torch.Tensor:
    """Rows of 8 random features."""
    return torch.randn(rows, 8)


def watched(run: Callable[[], object], error: type[Exception] | None = None) -> Observation:
    """What is seen of a program from an empty compile cache; it may raise an error."""
    torch._dynamo.reset()
    expected = contextlib.suppress(error) if error else contextlib.nullcontext()
    with watch() as seen, expected:
        run()
    assert seen.observation.problems == ()
    return seen.observation


def kinds(seen: Observation) -> str:
    """One word for each call."""
    return " ".join(entry.kind for entry in seen.timeline)


def recompiles(seen: Observation) -> list[tuple[int, str, str]]:
    """Call, cause and source of each rebuild."""
    return [(each.call, each.cause, each.source) for each in seen.recompile_events]


def steps(call: Callable[..., Any], *rows: int) -> Iterator[None]:
    """One training step for each batch size."""
    for count in rows:
        call(batch(count)).sum().backward()
        yield


def train(call: Callable[..., Any], *rows: int) -> None:
    """All training steps."""
    for _ in steps(call, *rows):
        pass
