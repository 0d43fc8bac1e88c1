"""Ten kinds of contracts, each repeated under numbers; what each must show is always the same."""

from __future__ import annotations

import logging
import os
import unittest
from collections.abc import Callable
from typing import Any

import pytest
import torch
from models import Counting, Layer, breaks, made_here

from pytest_compilecheck import compile_contract

EACH = range(int(os.environ["SOAK_CONTRACTS"]) // 10)
repeated = pytest.mark.parametrize("number", EACH)


@pytest.fixture
def model() -> torch.nn.Module:
    return torch.nn.Sequential(Layer(), Layer())


@pytest.fixture
def counting() -> torch.nn.Module:
    return Counting()


@pytest.fixture
def scaled(number: int) -> Callable[[torch.Tensor], torch.Tensor]:
    return made_here(2.0)


@repeated
@compile_contract(compiles="model", shapes={"x": [(2, 8), (3, 8)]}, max_recompiles=1)
def test_new_sizes(model: Any, number: int, x: torch.Tensor) -> None:
    assert model(x).shape == x.shape


@repeated
@compile_contract(compiles="model", shapes={"x": (2, 8)}, backward=True, match_eager=True)
def test_backward_beside_eager(model: Any, number: int, x: torch.Tensor) -> torch.Tensor:
    return model(x).sum()


@repeated
@compile_contract(shapes={"x": (2, 8)}, max_graph_breaks=1)
def test_graph_break(number: int, x: torch.Tensor) -> torch.Tensor:
    return breaks(x)


@repeated
@compile_contract(compiles="counting", shapes={"x": (2, 8)}, max_recompiles=1)
def test_recompiles(counting: Any, number: int, x: torch.Tensor) -> None:
    counting(x)


@repeated
@pytest.mark.xfail(strict=True, reason="every call recompiles")
@compile_contract(compiles="counting", shapes={"x": (2, 8)})
def test_does_not_hold(counting: Any, number: int, x: torch.Tensor) -> None:
    counting(x)


@repeated
@compile_contract(compiles="scaled", shapes={"x": (2, 8)})
def test_closure(scaled: Any, number: int, x: torch.Tensor) -> None:
    assert scaled(x).isfinite().all()


@repeated
@compile_contract(watch_only=True, max_graph_breaks=0, max_recompiles=0)
def test_regions_of_its_own(number: int) -> None:
    def local(x: torch.Tensor) -> torch.Tensor:
        assert x.dim() == 2
        return x.sin()

    torch.compile(local, backend="eager")(torch.ones(2, 8))


@repeated
def test_blocks(compilecheck: Any, number: int) -> None:
    torch._dynamo.reset()  # blocks leave the compile cache as it is
    region = compilecheck.compile(Layer())
    with compilecheck.watch("cold", max_recompiles=0):
        region(torch.ones(2, 8))
    with compilecheck.watch("warm") as seen:
        region(torch.ones(2, 8))
    assert [entry.kind for entry in seen.observation.timeline] == ["hit"]


@repeated
@pytest.mark.xfail(strict=True, raises=ZeroDivisionError, reason="the test itself is at fault")
@compile_contract(compiles="model", shapes={"x": (2, 8)})
def test_raises_and_leaves_things_changed(model: Any, number: int, x: torch.Tensor) -> None:
    torch._dynamo.config.recompile_limit = 3
    torch.set_grad_enabled(False)
    logging.getLogger("torch._dynamo").setLevel(logging.ERROR)
    model(x)
    raise ZeroDivisionError


class Held(unittest.TestCase):
    """Methods of unittest, as many as the others have numbers."""


def _method() -> Callable[[unittest.TestCase], None]:
    @compile_contract(watch_only=True, max_graph_breaks=1, max_recompiles=1)
    def method(_: unittest.TestCase) -> None:
        region = torch.compile(breaks, backend="eager")
        region(torch.ones(2, 8))
        region(torch.ones(3, 8))

    return method


for each in EACH:
    setattr(Held, f"test_method_{each:04}", _method())
