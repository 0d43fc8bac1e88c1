"""Bodies of checkpoint, cond and the like are part of the graph that refers to them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import fx
from torch.utils.checkpoint import checkpoint

from pytest_compilecheck.observe.operators import (
    custom_nodes_under,
    opaque_calls,
    operation_count,
)


@torch.library.custom_op("operators::shift", mutates_args=())
def shift(x: torch.Tensor) -> torch.Tensor:
    return x + 1


@shift.register_fake
def _(x: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(x)


def body(x: torch.Tensor) -> Any:
    return torch.ops.operators.shift(x.relu() * 2)  # 3 operations, 1 of them opaque


region = torch.compiler.nested_compile_region(body)


class Function(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> Any:
        return body(x)

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> Any:  # type: ignore[override]
        return torch.ops.operators.shift(grad)


def captured(function: Callable[..., Any], *inputs: Any) -> fx.GraphModule:
    found: list[fx.GraphModule] = []

    def backend(graph: fx.GraphModule, _: Any) -> Any:
        found.append(graph)
        return graph.forward

    torch._dynamo.reset()
    torch.compile(function, backend=backend, fullgraph=True)(*inputs)
    torch._dynamo.reset()
    (graph,) = found
    return graph


X = torch.ones(4)


# A body's operations, and beside them the call that takes it and the item that it gives.
@pytest.mark.parametrize(
    ("function", "operations", "calls"),
    [
        (body, 3, 1),
        (lambda x: checkpoint(body, x, use_reentrant=False), 3 + 2, 1),
        (lambda x: region(region(x)), 2 * (3 + 2), 2),
        (lambda x: checkpoint(lambda t: region(region(t)), x, use_reentrant=False), 10 + 2, 2),
        (lambda x: torch.cond(x.sum() > 0, body, torch.sin, (x,)), 2 + 3 + 1 + 2, 1),
    ],
    ids=["plain", "checkpoint", "region", "nested", "branches"],
)
def test_bodies_count_where_they_are_called(
    function: Callable[[torch.Tensor], torch.Tensor], operations: int, calls: int
) -> None:
    graph = captured(function, X)
    assert operation_count(graph) == operations
    found = list(opaque_calls(graph))
    assert [call.name for call in found] == ["operators.shift"] * calls
    assert {call.traced[-1].file for call in found} == {str(Path(__file__))}
    assert {call.traced[-1].function for call in found} == {"body"}


def test_what_no_node_refers_to_does_not_count() -> None:
    graph = captured(body, X)
    graph.left_over = captured(body, X)
    assert operation_count(graph) == 3


def test_calls_in_bodies_of_some_operators() -> None:
    def both(x: torch.Tensor) -> Any:
        first = torch.cond(x.sum() > 0, body, torch.sin, (x,))
        return checkpoint(body, shift(first), use_reentrant=False)

    graph = captured(both, X)
    assert len(list(opaque_calls(graph))) == 3
    assert len(list(custom_nodes_under(graph, ["cond"]))) == 1
    assert len(list(custom_nodes_under(graph, ["cond", "tag_activation_checkpoint"]))) == 2
    assert list(custom_nodes_under(graph, ["while_loop"])) == []


def test_a_backward_that_is_written_out_is_a_body() -> None:
    graph = captured(Function.apply, torch.ones(4, requires_grad=True))
    assert len(list(custom_nodes_under(graph, ["autograd_function_apply"]))) == 2
