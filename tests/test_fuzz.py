"""Some programs of the fuzzer, and that it finds faults; `docs/fuzzing.md` tells of long runs."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
import torch._dynamo.guards
from observe.facts import TORCH

from fuzz.program import draw
from fuzz.run import run

PROGRAMS = 12


@pytest.fixture(autouse=True)
def fast(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Without torch's timing of new guards, 30 ms for each graph; nothing of it is counted."""
    if hasattr(torch._dynamo.guards, "profile_guard_manager"):
        monkeypatch.setattr(torch._dynamo.guards, "profile_guard_manager", lambda *_: 0.0)
    gc.disable()
    yield
    gc.enable()
    torch._dynamo.reset()


def test_a_program_is_the_same_each_time() -> None:
    assert draw(7, 3) == draw(7, 3)
    assert len({draw(7, index).source for index in range(50)}) == 50


def test_programs_are_seen_as_torch_tells_of_them(tmp_path: Path) -> None:
    outcomes = [run(draw(0, index), str(tmp_path)) for index in range(PROGRAMS)]
    assert {o.program.index: o.differences for o in outcomes if o.differences} == {}
    # They do what is to be counted.
    assert sum(len(o.told.sites) for o in outcomes) >= PROGRAMS // 3
    assert sum(o.told.recompiles for o in outcomes) >= PROGRAMS // 3
    assert {kind for o in outcomes for kind in o.told.kinds} >= {"compile", "recompile", "hit"}


# It was about: whose code runs first in a region, a reason without a title, graphs of torch's own,
# what full-graph mode refuses within a region, a line of torch that two sites end at, how often a
# break runs in `checkpoint` and beside a call that ran eagerly, an error that was suppressed; in
# later runs, with numbers of their own: a suppressed error of the backend in code that is new, and
# a reset before which nothing was compiled for the first time. Last, after a reset: the other way
# of a branch, and a compile that came to nothing; a print on the way that torch gave up.
@pytest.mark.parametrize(
    ("seed", "index"),
    [
        *((0, index) for index in (1934, 2715, 4191, 3913, 9884, 2650, 10376, 14033)),
        (977, 78),
        (2026113, 710),
        *((0, index) for index in (13586, 13923, 15946)),
        pytest.param(
            1201,
            5050,
            marks=pytest.mark.skipif(
                TORCH < (2, 10), reason="no record tells that torch gave up the way with the loop"
            ),
        ),
    ],
)
def test_programs_that_once_disagreed_agree(seed: int, index: int, tmp_path: Path) -> None:
    assert run(draw(seed, index), str(tmp_path)).differences == {}


def test_torch_does_the_same_without_the_watch(tmp_path: Path) -> None:
    for index in (1, 4):
        bare = run(draw(0, index), str(tmp_path), watched=False)
        assert run(draw(0, index), str(tmp_path)).told == bare.told


def _had_reasons(conversion: Any) -> bool:
    return conversion.reasons is not None


@pytest.mark.parametrize(
    ("fault", "index", "field"),
    [
        (("assembly.assemble.count_recompiles", len), 4, "recompiles"),
        (("assembly.break_sites._Site.takes", lambda *_: False), 1, "break_sites"),
        (("hooks.install.TorchHooks._count_launches", lambda *_: None), 0, "launches"),
        (
            ("recording.conversion.Conversion.recompiled", property(_had_reasons)),
            0,
            "recompile_events",
        ),
        (("recording.recorder.Recorder.guards_missed", lambda _: None), 801, "kinds"),
    ],
)
def test_a_fault_in_the_watch_is_found(
    fault: tuple[str, Any],
    index: int,
    field: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert not run(draw(0, index), str(tmp_path)).differences
    name, instead = fault
    monkeypatch.setattr(f"pytest_compilecheck.observe.{name}", instead)
    assert field in run(draw(0, index), str(tmp_path)).differences
