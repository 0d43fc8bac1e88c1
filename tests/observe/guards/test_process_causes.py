"""Causes that are no property of one value: modes of the process, hooks."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
import torch._dynamo.config
import torch.autograd.graph
import torch.nn.modules.module
from observe.guards.modes import Passes, set_to
from observe.guards.scenarios import all_changes, facts, only_change
from torch import nn

ones = torch.ones
X = ones(4, 4)


# Modes of the process.


@contextlib.contextmanager
def default_device(name: str) -> Iterator[None]:
    with set_to(torch.set_default_device, name, None):
        yield
    del torch._GLOBAL_DEVICE_CONTEXT.device_context  # as if nobody had set one


THREADS = torch.get_num_threads()

MODES = {
    "grad mode": (torch.no_grad, "on", "off"),
    "autocast on cpu": (lambda: torch.autocast("cpu"), "off", "on, torch.bfloat16"),
    "default dtype": (
        lambda: set_to(torch.set_default_dtype, torch.float64, torch.float32),
        "torch.float32",
        "torch.float64",
    ),
    "default device": (lambda: default_device("meta"), "None", "meta"),
    "deterministic algorithms": (
        lambda: set_to(torch.use_deterministic_algorithms, True, False),
        "off",
        "on",
    ),
    "intra-op threads": (
        lambda: set_to(torch.set_num_threads, THREADS + 1, THREADS),
        str(THREADS),
        str(THREADS + 1),
    ),
    "torch function modes": (Passes, "none", "Passes"),
    "__torch_function__ overrides": (torch._C.DisableTorchFunction, "on", "off"),
}


@pytest.mark.parametrize("name", MODES)
def test_a_mode(name: str) -> None:
    context, before, after = MODES[name]

    def run() -> None:
        compiled = torch.compile(lambda x: x @ x, backend="eager")
        compiled(X)
        with context():
            compiled(X)

    change = only_change(run)
    assert facts(change) == ("global_state", "process", name, before, after)
    same = "make all calls under the same grad mode, the warm-up too"
    assert change.cure == (
        same if name == "grad mode" else f"set {name} once, before the first call"
    )


def test_a_mode_that_is_left_again() -> None:
    def run() -> None:
        compiled = torch.compile(lambda x: x @ x, backend="eager")
        with torch.autocast("cpu", dtype=torch.float16):
            compiled(X)
        compiled(X)

    assert facts(only_change(run))[2:] == ("autocast on cpu", "on, torch.float16", "off")


def test_a_device_context_is_a_default_device() -> None:
    def run() -> None:
        compiled = torch.compile(lambda x: x * 2, backend="eager")
        compiled(X)
        with torch.device("meta"):
            compiled(X)

    assert facts(only_change(run))[2:] == ("default device", "None", "meta")


def test_inference_mode_comes_before_the_grad_mode_that_it_switches_off() -> None:
    def run() -> None:
        compiled = torch.compile(lambda x: x * 2, backend="eager")
        compiled(X)
        with torch.inference_mode():
            compiled(X)  # an ordinary tensor: the mode is all that changed

    [changes] = all_changes(run)
    assert list(map(facts, changes)) == [
        ("global_state", "process", "inference mode", "off", "on"),
        ("global_state", "process", "grad mode", "on", "off"),
    ]


def test_an_inference_tensor_of_a_call_in_inference_mode_is_told_beside_it() -> None:
    def run() -> None:
        compiled = torch.compile(lambda x: x * 2, backend="eager")
        with torch.inference_mode():
            compiled(ones(4, 4))
            compiled(X)
        compiled(X)

    first, second = all_changes(run)
    assert list(map(facts, first)) == [
        ("dispatch_keys", "argument", "x", "an inference tensor", "an ordinary tensor")
    ]
    assert [change.source for change in second] == ["inference mode", "grad mode"]


def test_two_modes_at_once() -> None:
    def run() -> None:
        compiled = torch.compile(lambda x: x @ x, backend="eager")
        compiled(X)
        with torch.no_grad(), torch.autocast("cpu"):
            compiled(X)

    [changes] = all_changes(run)
    assert [change.source for change in changes] == ["grad mode", "autocast on cpu"]


def test_hooks_on_saved_tensors() -> None:
    hook = torch.fx.symbolic_trace(lambda t: t * 1)

    def run() -> None:
        compiled = torch.compile(lambda x: x * 2, backend="eager")
        compiled(X)
        with torch.autograd.graph.saved_tensors_hooks(hook, hook):
            compiled(X)

    assert facts(only_change(run))[:3] == ("global_state", "process", "saved tensors hooks")


# Hooks on modules. By default torch does not look at them once a module is compiled.


class Hooked(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(x)


def doubles(module: nn.Module, args: Any, result: torch.Tensor) -> torch.Tensor:
    return result * 2


def halves(module: nn.Module, args: Any, result: torch.Tensor) -> torch.Tensor:
    return result / 2


def hooked(*steps: Callable[[nn.Module], object]) -> Callable[[], None]:
    def run() -> None:
        module = Hooked()

        def calls_it(x: torch.Tensor) -> torch.Tensor:
            return module(x)

        compiled = torch.compile(calls_it, backend="eager")
        with torch._dynamo.config.patch(skip_nnmodule_hook_guards=False):
            for step in steps:
                step(module.layer)
                compiled(X)

    return run


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        (
            [lambda layer: None, lambda layer: layer.register_forward_hook(doubles)],
            ("len(module.layer._forward_hooks)", "0", "1"),
        ),
        (
            [lambda layer: None, lambda layer: layer.register_forward_pre_hook(print)],
            ("len(module.layer._forward_pre_hooks)", "0", "1"),
        ),
        (
            [
                lambda layer: layer.register_forward_hook(doubles),
                lambda layer: layer._forward_hooks.clear(),
            ],
            ("len(module.layer._forward_hooks)", "1", "0"),
        ),
    ],
    ids=["forward", "pre", "removed"],
)
def test_a_hook_on_a_module(steps: Any, expected: tuple[str, str, str]) -> None:
    change = all_changes(hooked(*steps))[0][0]
    assert facts(change) == ("hook", "module", *expected)
    assert change.cure == "register hooks before the first call, and keep them"


def test_another_hook() -> None:
    def replace(layer: nn.Module) -> None:
        (key,) = layer._forward_hooks
        layer._forward_hooks[key] = halves

    change = only_change(hooked(lambda layer: layer.register_forward_hook(doubles), replace))
    name, before, after = "module.layer._forward_hooks", "function doubles", "function halves"
    assert facts(change) == ("hook", "module", name, before, after)


def test_a_hook_on_all_modules() -> None:
    """Without any hook torch does not ask; with one on a module it asks for those on all too."""
    handles: list[Any] = []
    register = torch.nn.modules.module.register_module_forward_hook
    steps = (
        lambda layer: layer.register_forward_hook(doubles),
        lambda _: handles.append(register(doubles)),
    )
    try:
        change = only_change(hooked(*steps))
    finally:
        for handle in handles:
            handle.remove()
    name = "len(torch.nn.modules.module._global_forward_hooks)"
    assert facts(change) == ("hook", "process", name, "0", "1")
