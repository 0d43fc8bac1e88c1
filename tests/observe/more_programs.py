"""Small programs to watch; `test_more_programs` says what is to be seen of each."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator
from typing import Any

import torch
from einops import rearrange
from observe.facts import calls
from torch import Tensor, nn
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.checkpoint import checkpoint

Run = Callable[[], object]
X = torch.ones(4)

# Functions and modules to compile.


def helper(x: Tensor) -> Tensor:
    y = x + 1
    print("helper")
    return y * 2


def calls_helper_twice(x: Tensor) -> Tensor:
    a = helper(x)
    return a + helper(a)


def calls_helper_in_loop(x: Tensor) -> Tensor:
    for _ in range(3):
        x = helper(x)
    return x


def inner(x: Tensor) -> Tensor:
    return helper(x.sin()) * 2


def calls_inner(x: Tensor) -> Tensor:
    return inner(x.cos()) + 1


def down(x: Tensor, steps: int) -> Tensor:
    if steps == 0:
        print("bottom")
        return x
    return down(x * 2, steps - 1) + 1


@dataclasses.dataclass
class Pair:
    left: Tensor
    right: Tensor


def keeps_pair_over_break(x: Tensor) -> Tensor:
    pair = Pair(x + 1, x * 2)
    print("pair")
    return pair.left * pair.right


def breaks_before_pair(pair: Pair) -> Tensor:
    print("first")
    return pair.left * pair.right


def cleans_up(x: Tensor) -> Tensor:
    try:
        print("finally")
        return x * 2
    finally:
        x = x + 1


def calls_clean_up(x: Tensor) -> Tensor:
    return cleans_up(x + 1).relu()


def breaks_if_asked(x: Tensor, log: bool) -> Tensor:
    y = x + 1
    if log:
        print("asked")
    return y.relu()


def two_conditions(x: Tensor) -> Tensor:
    if x.sum() > 0 and x.max() > 2:
        return x * 2
    return x * 3


def refuses_above_two(x: Tensor, n: int) -> Tensor:
    if n > 2:
        raise ValueError(n)
    return (x + n).relu()


def returns_early(x: Tensor, early: bool) -> Tensor:
    if early:
        return x
    return (x + 1).relu()


def attention(x: Tensor) -> Tensor:
    q = rearrange(x, "b n (h d) -> b h n d", h=2)
    scores = q @ q.transpose(-1, -2)
    print("scores")
    return rearrange(scores.softmax(-1) @ q, "b h n d -> b n (h d)") + x


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        print("square")
        return x * x

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        return 2 * x * grad


def applies_square(x: Tensor) -> Tensor:
    return Square.apply(x + 1).relu()


def block(x: Tensor) -> Tensor:
    y = x * 2
    print("block")
    return y + 1


def checkpoints_block(x: Tensor) -> Tensor:
    return checkpoint(block, x + 1, use_reentrant=False).relu()


def under_autocast(x: Tensor) -> Tensor:
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = x @ x
        print("autocast")
        y = y @ x
    return y.float().relu()


def rows(x: Tensor) -> Iterator[Tensor]:
    for row in x.unbind(0):
        print("row")
        yield row * 2


def consumes_generator(x: Tensor) -> Tensor:
    kept = []
    for row in rows(x + 1):
        kept.append(row)  # noqa: PERF402 - the loop is what is watched
    return torch.stack(kept)


def strict(x: Tensor) -> Tensor:
    y = x + 1
    with torch._dynamo.error_on_graph_break(True):
        y = helper(y)
    return y.relu()


def maps_helper(tensors: dict[str, Tensor]) -> Tensor:
    done = pytree.tree_map(helper, tensors)
    return done["a"] + done["b"]


def dumps_json(x: Tensor) -> Tensor:
    y = x + 1
    text = json.dumps({"a": 1})
    return y * len(text)


def encodes(x: Tensor) -> Tensor:
    y = x + 1
    print("encodes")
    return y * 2


def decodes(x: Tensor) -> Tensor:
    return x.relu() * 3


def straight(x: Tensor) -> Tensor:
    return (x + 1).relu()


def total_of(größe: Tensor) -> Tensor:  # noqa: PLC2401 - a column counts characters
    if "äöü€" and float(größe.sum()) > 0:
        größe = größe * 2  # noqa: PLC2401
    return größe


class Hooked(nn.Module):
    """A linear layer whose forward hook breaks."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.linear.register_forward_hook(self.hook)

    def hook(self, module: nn.Module, args: Any, output: Tensor) -> Tensor:
        print("hook")
        return output * 2

    def forward(self, x: Tensor) -> Tensor:
        return self.linear(x).relu()


class Layer(nn.Module):
    """A block whose index is a guard: each instance compiles `forward` anew."""

    def __init__(self, index: int, log: bool = False) -> None:
        super().__init__()
        self.index = index
        self.log = log

    def forward(self, x: Tensor) -> Tensor:
        y = x * self.index
        if self.log:
            print("layer")
        return y + 1


class Stack(nn.Module):
    """More layers than torch compiles variants of one function."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Layer(index + 2, log=True) for index in range(10))

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = layer(x)
        return x


def failing_backend(fails_at: int) -> Callable[..., Any]:
    """A backend that raises for the graph of this number, counted from 0."""
    made = []

    def backend(module: torch.fx.GraphModule, inputs: list[Tensor]) -> Callable[..., Any]:
        made.append(module)
        if len(made) == fails_at + 1:
            raise RuntimeError("no")
        return module.forward

    return backend


# What to do with them, where it is more than a few calls.


def with_grad(function: Callable[..., Any]) -> Run:
    return calls(function, *[(torch.ones(4, requires_grad=True),)] * 3)


def in_turn(*functions: Callable[..., Any], times: int = 2) -> Run:
    """Compile several regions and feed each with the result of the one before."""

    def run() -> None:
        regions = [torch.compile(function, backend="eager") for function in functions]
        for _ in range(times):
            x = X
            for region in regions:
                x = region(x)

    return run


def region_in_disabled() -> None:
    inner = torch.compile(straight, backend="eager")
    between = torch.compiler.disable(lambda x: inner(x) - 1)
    compiled = torch.compile(lambda x: between(x + 1) + 1, backend="eager")
    for _ in range(2):
        compiled(X)


def reset_between() -> None:
    compiled = torch.compile(helper, backend="eager")
    for turn in range(4):
        if turn == 2:
            torch._dynamo.reset()
        compiled(X)


def eager_on_recompile() -> None:
    compiled = torch.compile(helper, backend="eager")
    compiled(X)
    with torch.compiler.set_stance("eager_on_recompile"):
        for size in (4, 5, 4):
            compiled(torch.ones(size))


class Mode(TorchDispatchMode):
    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


def dispatch_mode_for_a_while() -> None:
    compiled = torch.compile(straight, backend="eager")
    compiled(X)
    with Mode():
        compiled(X)
    compiled(X)


def switched_off() -> None:
    torch.compile(straight, backend="eager", disable=True)(X)
