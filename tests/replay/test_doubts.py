"""A policy whose figures are unknown is not compared with others."""

from __future__ import annotations

import pytest
import torch
from replay.made import contract

from pytest_compilecheck.contract.policies.policy import Policy
from pytest_compilecheck.observe import watch
from pytest_compilecheck.observe.surroundings import Surroundings
from pytest_compilecheck.observe.values.doubt import Doubt
from pytest_compilecheck.policies.shortcomings import shortcoming
from pytest_compilecheck.replay.replay import replayed

HELD = contract("x", shapes={"x": "B 4"}, dims={"B": [2, 3]}, backend="eager")


def double(x: torch.Tensor) -> torch.Tensor:
    return x * 2


def test_it_was_not_measured_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    doubts = (Doubt(("hit_rate",), "torch told of no cache miss"),)
    monkeypatch.setattr(watch, "self_check", lambda: doubts)
    run = replayed(
        HELD,
        Policy(kind="auto"),
        double,
        {},
        default_backend="eager",
        around=Surroundings(root="."),
        budget=0.0,
    )
    assert run.error == "its figures are unknown, because torch told of no cache miss"
    assert run.calls == ()
    assert shortcoming(run)
