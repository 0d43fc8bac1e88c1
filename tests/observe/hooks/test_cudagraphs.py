"""CUDA graphs that torch records again; the real ones need a GPU, the hooks do not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch._inductor import cudagraph_trees as trees

from pytest_compilecheck import watch
from pytest_compilecheck.observe.values.observation import Observation

STATUS = trees.CheckInvariantStatus


def observed(
    monkeypatch: pytest.MonkeyPatch, work: Callable[[Any, Any], object], found: Any
) -> Observation:
    """What a watch sees of work on a manager and a recording, whose own methods are stand-ins."""
    monkeypatch.setattr(trees.CUDAGraphTreeManager, "record_function", lambda *_: ["recorded"])
    monkeypatch.setattr(trees.CUDAGraphNode, "check_invariants", lambda *_: found)
    manager, node = (
        object.__new__(kind) for kind in (trees.CUDAGraphTreeManager, trees.CUDAGraphNode)
    )
    with watch() as seen:
        work(manager, node)
    return seen.observation


def test_the_first_recording_of_a_function_is_no_repetition(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def work(manager: Any, _: Any) -> None:
        assert manager.record_function([], 0) == ["recorded"]
        manager.record_function([], 1)

    assert observed(monkeypatch, work, None).cudagraph_rerecords == ()


def test_a_recording_that_does_not_fit_is_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    found = STATUS.StaticInputIdxMismatch, lambda: "static input data pointer changed.\n  input 0"

    def work(manager: Any, node: Any) -> None:
        manager.record_function([], 0)
        assert node.check_invariants([]) is found
        manager.record_function([], 0)

    reasons = observed(monkeypatch, work, found).cudagraph_rerecords
    assert reasons == ("static input data pointer changed. input 0",)


def test_one_that_fits_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def work(manager: Any, node: Any) -> None:
        manager.record_function([], 0)
        node.check_invariants([])
        manager.record_function([], 0)

    reasons = observed(monkeypatch, work, (STATUS.SUCCESS, lambda: "fits")).cudagraph_rerecords
    assert reasons == ("it follows another graph than when it was recorded",)


def test_a_reason_that_cannot_be_told_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> str:
        raise ValueError("no")

    def work(manager: Any, node: Any) -> None:
        manager.record_function([], 0)
        node.check_invariants([])
        manager.record_function([], 0)

    seen = observed(monkeypatch, work, (STATUS.StaticInputIdxMismatch, fail))
    assert seen.cudagraph_rerecords == ("unknown",)
    assert "why a CUDA graph was recorded again is unknown" in seen.problems[0]


def test_an_answer_of_unknown_shape_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a later torch gives may be other than we read; no call of a user's may fail by that."""
    found = object()

    def work(_: Any, node: Any) -> None:
        assert node.check_invariants([]) is found

    (problem,) = observed(monkeypatch, work, found).problems
    assert problem.startswith("whether a CUDA graph fits could not be read (TypeError:")


@pytest.mark.skipif(not torch.cuda.is_available(), reason="CUDA graphs need a GPU")
def test_weights_that_move_have_a_graph_recorded_again() -> None:
    linear = torch.nn.Linear(8, 8, device="cuda")
    with watch() as seen, torch.no_grad():
        compiled = torch.compile(linear, mode="reduce-overhead")
        for round_ in range(6):
            if round_ == 3:
                linear.weight.data = linear.weight.data.clone()
            torch.compiler.cudagraph_mark_step_begin()
            compiled(torch.randn(2, 8, device="cuda"))
    (reason,) = seen.observation.cudagraph_rerecords
    assert "static input" in reason
