"""torch's process-wide modes in words, and which of them are other; nothing compiled."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import Any

import pytest
import torch
from observe.guards.modes import Passes, set_to

from pytest_compilecheck.observe import torch_adapter
from pytest_compilecheck.observe.guards.process import mode_changes, process_state
from pytest_compilecheck.observe.values.recompile import Change


class Looks(Passes):
    """Another one."""


@contextmanager
def tf32() -> Iterator[None]:
    matmul = torch.backends.cuda.matmul
    before = matmul.allow_tf32
    matmul.allow_tf32 = not before
    try:
        yield
    finally:
        matmul.allow_tf32 = before


@contextmanager
def both_modes() -> Iterator[None]:
    with Passes(), Looks():
        yield


THREADS = torch.get_num_threads()
Context = Callable[[], AbstractContextManager[Any]]


@pytest.mark.parametrize(
    ("context", "changed"),
    [
        (torch.no_grad, {"grad mode": ("on", "off")}),
        (torch.inference_mode, {"inference mode": ("off", "on"), "grad mode": ("on", "off")}),
        (lambda: torch.autocast("cpu"), {"autocast on cpu": ("off", "on, torch.bfloat16")}),
        (
            lambda: torch.autocast("cpu", dtype=torch.float16),
            {"autocast on cpu": ("off", "on, torch.float16")},
        ),
        (
            lambda: set_to(torch.set_default_dtype, torch.float64, torch.float32),
            {"default dtype": ("torch.float32", "torch.float64")},
        ),
        (lambda: torch.device("meta"), {"default device": ("None", "meta")}),
        # Set by the author, though it is what it is anyway.
        (
            lambda: set_to(torch_adapter.set_default_device, torch.device("cpu"), None),
            {"default device": ("None", "cpu")},
        ),
        (
            lambda: set_to(torch.use_deterministic_algorithms, True, False),
            {"deterministic algorithms": ("off", "on")},
        ),
        (
            lambda: set_to(torch.set_num_threads, THREADS + 1, THREADS),
            {"intra-op threads": (str(THREADS), str(THREADS + 1))},
        ),
        (Passes, {"torch function modes": ("none", "Passes")}),
        (both_modes, {"torch function modes": ("none", "Passes, Looks")}),
        (torch._C.DisableTorchFunction, {"__torch_function__ overrides": ("on", "off")}),
        (tf32, {"TF32 matmuls": ("off", "on")}),
    ],
)
def test_a_mode_in_words(context: Context, changed: dict[str, tuple[str, str]]) -> None:
    before = process_state()
    with context():
        now = process_state()
    differing = {name: (before[name], now[name]) for name in before if before[name] != now[name]}
    assert differing == changed
    assert before.keys() == now.keys()
    assert process_state() == before


def test_a_default_device_that_torch_cannot_tell_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """2.8 trips over a `None` that was set."""

    def trips() -> None:
        raise AttributeError("'NoneType' object has no attribute 'type'")

    monkeypatch.setattr(torch, "get_default_device", trips)
    assert process_state()["default device"] == "None"


@pytest.mark.skipif(
    not hasattr(torch.backends.cuda.matmul, "fp32_precision"), reason="this torch has one name only"
)
def test_tf32_is_read_under_the_name_that_was_used() -> None:
    """The older name raises once the newer one was used."""
    with set_to(partial(setattr, torch.backends.cuda.matmul, "fp32_precision"), "tf32", "ieee"):
        assert process_state()["TF32 matmuls"] == "on"
    assert process_state()["TF32 matmuls"] == "off"


def test_autocast_is_told_for_each_device() -> None:
    assert process_state()["autocast on cuda"] == process_state()["autocast on cpu"] == "off"


def test_modes_that_are_other_are_told_with_their_values() -> None:
    before = {"grad mode": "on", "default dtype": "torch.float32", "TF32 matmuls": "off"}
    now = {"grad mode": "off", "default dtype": "torch.float32", "a newer mode": "on"}
    assert mode_changes(before, now) == [
        Change(
            cause="global_state",
            holder="process",
            source="grad mode",
            expected="on",
            actual="off",
        )
    ]
