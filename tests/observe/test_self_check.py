"""The self-check with the torch that is installed: what it leaves behind, and what it finds."""

from __future__ import annotations

import gc
import itertools
import logging
import os
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
import torch._dynamo
import torch._dynamo.callback

from pytest_compilecheck import watch
from pytest_compilecheck.observe import self_check as module
from pytest_compilecheck.observe import torch_adapter as adapter
from pytest_compilecheck.observe.hooks.traces import TraceHooks
from pytest_compilecheck.observe.self_check import self_check
from pytest_compilecheck.observe.values.doubt import FIGURES
from pytest_compilecheck.releases import UnsupportedTorchError


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    """Each test checks anew, and what it found is known to no other."""
    torch._dynamo.reset()
    module._prove.cache_clear()
    yield
    module._prove.cache_clear()
    torch._dynamo.reset()


def unknown() -> set[str]:
    return {figure for doubt in self_check() for figure in doubt.figures}


def double(x: torch.Tensor) -> torch.Tensor:
    return x * 2


def test_this_torch_tells_all() -> None:
    assert self_check() == ()


# What stays.


def counted() -> list[tuple[str, Any]]:
    """What torch has counted and learned, as text."""
    plain = (
        (name, getattr(owner, name))
        for owner, names in adapter.COMPILE_STATE
        for name in names
        if hasattr(owner, name) and name != "initial_global_state"
    )
    return [(name, repr(value)) for name, value in plain]


def test_nothing_that_torch_counts_or_learns_changes() -> None:
    compiled = torch.compile(double, backend="eager")
    compiled(torch.ones(2))
    compiled(torch.ones(3))
    gc.collect()  # code that nobody holds is counted until then
    before, random, settings = counted(), torch.get_rng_state(), adapter.stance()
    values = adapter.log_state()
    graphs = adapter.cached_graphs()
    assert self_check() == ()
    assert counted() == before
    assert torch.equal(torch.get_rng_state(), random)
    assert (adapter.stance(), adapter.log_state()) == (settings, values)
    gc.collect()
    assert adapter.cached_graphs() == graphs == 2


def test_nothing_is_heard_of_it(caplog: pytest.LogCaptureFixture) -> None:
    told: list[object] = []
    handler = torch._dynamo.callback.callback_handler
    handler.register_start_callback(told.append)
    trace = logging.getLogger("torch.__trace")
    listening = logging.NullHandler()
    trace.addHandler(listening)
    try:
        with caplog.at_level(logging.DEBUG, logger="torch"):
            assert self_check() == ()
    finally:
        trace.removeHandler(listening)
        handler.remove_start_callback(told.append)
    assert told == []
    assert caplog.records == []


def test_what_is_compiled_next_has_the_ids_that_it_would_have() -> None:
    def ids() -> list[str]:
        torch._dynamo.reset()
        torch.compile(double, backend="eager")(torch.ones(2))
        codes = [ref() for ref in torch._dynamo.convert_frame.input_codes.seen]
        return [str(e.compile_id) for code in codes if code for e in adapter._entries(code)]

    assert ids() == ["0/0"]
    torch._dynamo.reset()
    assert self_check() == ()
    torch.compile(double, backend="eager")(torch.ones(2))
    entries = adapter._entries(double.__code__)
    assert [str(entry.compile_id) for entry in entries] == ["0/0"]


def test_it_is_made_once_and_a_watch_sees_nothing_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    heard = module._heard
    monkeypatch.setattr(module, "_heard", lambda: (made.append("made"), heard())[1])
    compiled = torch.compile(double, backend="eager")
    for _ in range(2):
        with watch() as seen:
            compiled(torch.ones(2))
        assert [each.region for each in seen.observation.timeline] == ["double"]
    assert made == ["made"]
    assert seen.observation.doubts == ()


# Where it is made.


@pytest.mark.parametrize(
    "around",
    [
        torch.inference_mode,
        torch.no_grad,
        lambda: torch.device("meta"),
        lambda: torch.autocast("cpu"),
        lambda: torch.compiler.set_stance("force_eager"),
        lambda: torch._dynamo.config.patch(disable=True),
        lambda: torch._dynamo.config.patch(suppress_errors=True, recompile_limit=1),
        lambda: torch._dynamo.config.patch(capture_scalar_outputs=True),
    ],
)
def test_what_is_in_force_where_a_watch_begins_is_no_matter(around: Callable[[], Any]) -> None:
    with around():
        assert self_check() == ()
        assert adapter.stance() in ("default", "force_eager")


def test_the_thread_that_ends_is_not_the_first_to_use_fake_tensors(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    threads: list[int] = []
    real = adapter.FAKE_TENSORS

    def fake_tensors() -> Any:
        threads.append(threading.get_ident())
        return real()

    monkeypatch.setattr(adapter, "FAKE_TENSORS", fake_tensors)
    heard = module._heard
    monkeypatch.setattr(module, "_heard", lambda: (threads.append(0), heard())[1])
    assert self_check() == ()
    assert threads == [threading.get_ident(), 0]


def test_in_several_threads_at_once() -> None:
    found: list[object] = []
    threads = [threading.Thread(target=lambda: found.append(self_check())) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [(), (), ()]


def test_while_something_is_compiled_it_waits_no_longer_than_that(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_SECONDS", 0.01)
    with adapter.COMPILE_LOCK:
        (doubt,) = self_check()
    assert doubt.figures == FIGURES
    assert doubt.why.startswith("something else was being compiled for 0.01 s")
    assert self_check() == ()  # what could not be found out is tried again


def test_where_compilation_is_switched_off_there_is_nothing_to_prove(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(os.environ, "TORCHDYNAMO_DISABLE", "1")
    assert self_check() == ()
    monkeypatch.delitem(os.environ, "TORCHDYNAMO_DISABLE")
    monkeypatch.setattr(module, "_heard", lambda: 1 / 0)
    (doubt,) = self_check()  # and it was not taken for proved
    assert doubt.figures == FIGURES
    assert doubt.why.startswith(
        "the program of the self-check could not be run: ZeroDivisionError: division by zero"
    )


# Sources that do not deliver.


def no_guard_hook(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(adapter, "SET_GUARD_HOOK", None)


def deaf_guard_hook(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(adapter, "SET_GUARD_HOOK", lambda _: None)


def another_converter(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(adapter, "CONVERTER", None)


def another_graph_maker(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(adapter, "GRAPH_MAKER", None)


def another_region(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(adapter, "REGION", None)


def silent_trace(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(TraceHooks, "_artifact", lambda *_: None)


def without(event: str) -> Callable[[pytest.MonkeyPatch], None]:
    """torch has another name for an event."""
    artifact = TraceHooks._artifact

    def but_this(hooks: TraceHooks, name: str, payload: Any) -> None:
        if name != event:
            artifact(hooks, name, payload)

    return lambda patch: patch.setattr(TraceHooks, "_artifact", but_this)


def breaks_without_text(patch: pytest.MonkeyPatch) -> None:
    artifact = TraceHooks._artifact

    def blank(hooks: TraceHooks, name: str, payload: Any) -> None:
        is_break = name == "dynamo_graph_break_reason"
        artifact(hooks, name, (lambda: "") if is_break else payload)

    patch.setattr(TraceHooks, "_artifact", blank)


def breaks_without_place(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(adapter, "traced_stack", lambda _: ())


def entries_that_cannot_be_read(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(adapter, "cache_entry", lambda *_: None)


def stopped_clock(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(
        "pytest_compilecheck.observe.recording.recorder.perf_counter",
        itertools.repeat(1.0).__next__,
    )


HITS = {"fallbacks", "hit_rate"}
ALL_BUT_CALLS = set(FIGURES) - {"calls"}
BREAKS = {"graph_breaks"}
REASONS = {"recompiles", "captured_ops", "opaque_ops", "kernels", "dynamic_dims"}


@pytest.mark.parametrize(
    ("kill", "figures"),
    [
        (no_guard_hook, HITS),
        (deaf_guard_hook, HITS),
        (another_converter, ALL_BUT_CALLS),
        (another_region, set(FIGURES)),
        (another_graph_maker, ALL_BUT_CALLS - {"graph_breaks", "recompiles", "compile_seconds"}),
        (silent_trace, BREAKS | HITS | REASONS),
        (without("dynamo_graph_break_reason"), BREAKS | HITS),
        (without("recompile_reasons"), REASONS),
        (breaks_without_text, BREAKS),
        (breaks_without_place, BREAKS),
        (entries_that_cannot_be_read, {"recompiles", "dynamic_dims"}),
        (stopped_clock, {"compile_seconds"}),
    ],
)
def test_what_is_unknown_where_a_source_is_dead(
    kill: Callable[[pytest.MonkeyPatch], None],
    figures: set[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kill(monkeypatch)
    assert unknown() == figures


def test_launches_that_cannot_be_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_compilecheck.observe.hooks.install.graph_cell", lambda _: None)
    assert unknown() == {"graph_launches", "kernels", *HITS}


def test_a_watch_under_a_dead_source_says_what_it_does_not_know(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    no_guard_hook(monkeypatch)
    with watch() as seen:
        torch.compile(double, backend="eager")(torch.ones(2))
        torch.compile(double, backend="eager")(torch.ones(2))
    assert [each.kind for each in seen.observation.timeline] == ["compile", "unknown"]
    assert seen.observation.hit_rate is None
    assert seen.observation.graphs == 1
    assert "? fallbacks" in str(seen)
    assert "fallbacks, hit rate: unknown, because" in str(seen)


@pytest.mark.parametrize("kill", [another_converter, another_region, another_graph_maker])
def test_a_watch_goes_on_where_torch_has_lost_a_place_for_its_hooks(
    kill: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    kill(monkeypatch)
    with watch() as seen:
        torch.compile(double, backend="eager")(torch.ones(2))
    assert seen.observation.graphs is None
    assert {figure for doubt in seen.observation.doubts for figure in doubt.figures} == unknown()


def test_a_torch_that_nobody_has_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "__version__", "2.99.0.dev20261101+cpu")
    with watch() as seen:
        torch.compile(double, backend="eager")(torch.ones(2))
    assert str(seen).startswith("torch 2.99.0.dev20261101+cpu is newer than the newest")
    assert seen.observation.hit_rate == 0.0


def test_a_torch_that_is_too_old(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "__version__", "2.7.1")
    with pytest.raises(UnsupportedTorchError, match=r"torch 2\.7\.1 is too old"):
        watch().__enter__()
