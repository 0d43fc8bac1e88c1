"""Where a break stands and what led there, in small programs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import observe.more_programs as programs
import pytest
import torch
import torch._dynamo.config
from observe.facts import TORCH, calls, watched

from pytest_compilecheck.observe.values.observation import BreakSite

X = programs.X


@pytest.fixture(autouse=True)
def _clean() -> Iterator[None]:
    yield
    torch._dynamo.reset()


def site_of(function: Any, *arguments: Any) -> BreakSite:
    """The only break site of a function that is compiled and called once."""
    [site] = watched(calls(function, arguments)).break_sites
    return site


def callers(site: BreakSite, count: int) -> list[str]:
    """The innermost functions of the chain; before them come those that ran the test."""
    return [frame.function for frame in site.chain][-count:]


def test_an_inlined_function_is_led_to_by_its_callers() -> None:
    site = site_of(programs.calls_inner, X)
    assert (site.function, site.code, site.events) == ("helper", 'print("helper")', 3)
    assert callers(site, 2) == ["calls_inner", "inner"]
    assert site.own_frame is not None
    assert (site.own_frame.function, site.own_frame.line) == ("helper", site.line)


@pytest.mark.skipif(TORCH < (2, 9), reason="torch cannot resume a whole stack yet")
def test_a_stack_that_is_resumed_as_a_whole_breaks_once() -> None:
    with torch._dynamo.config.patch(nested_graph_breaks=True):
        seen = watched(calls(programs.calls_inner, (X,), (X,)))
    [site] = seen.break_sites
    assert (site.function, site.events, site.executions_per_warm_call) == ("helper", 1, 1)
    assert callers(site, 2) == ["calls_inner", "inner"]
    assert [entry.graph_launches for entry in seen.timeline] == [2, 2]


def test_a_function_that_a_library_calls_is_an_own_place() -> None:
    site = site_of(programs.maps_helper, {"a": X, "b": X})
    assert (site.function, site.owner) == ("helper", "own")
    assert callers(site, 1) == ["maps_helper"]


def test_a_forward_hook_is_led_to_by_the_line_that_calls_the_module() -> None:
    site = site_of(programs.Hooked(), torch.ones(4, 4))
    assert (site.function, site.owner) == ("hook", "own")
    assert callers(site, 1) == ["forward"]


def test_a_break_in_a_library_names_the_own_line_that_led_there() -> None:
    site = site_of(programs.dumps_json, X)
    assert (site.function, site.owner) == ("iterencode", "third_party")
    assert callers(site, 3) == ["dumps_json", "dumps", "encode"]
    assert site.own_frame is not None
    assert site.own_frame.function == "dumps_json"


@pytest.mark.skipif(TORCH < (2, 9), reason="torch has no error_on_graph_break() yet")
def test_a_break_in_a_strict_stretch_is_a_site_of_a_call_that_raised() -> None:
    seen = watched(calls(programs.strict, (X,), (X,)))
    [site] = seen.break_sites
    assert [entry.kind for entry in seen.timeline] == ["error", "error"]
    assert (site.function, site.event_calls) == ("helper", (0, 1))
    assert callers(site, 1) == ["strict"]


def test_columns_count_characters() -> None:
    site = site_of(programs.total_of, X)
    assert site.code == 'if "äöü€" and float(größe.sum()) > 0:'
    if site.column is None:  # torch up to 2.12 tells none, and Python 3.10 has none
        assert TORCH < (2, 13) or sys.version_info < (3, 11)
        return
    indent = 4
    assert site.end_column is not None
    marked = site.code[site.column - 1 - indent : site.end_column - 1 - indent]
    assert marked == "float(größe.sum())"


def test_the_line_of_a_compiled_optimizer_step_is_torchs_own() -> None:
    model = torch.nn.Linear(4, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model(torch.ones(2, 4)).sum().backward()
    site = site_of(optimizer.step)
    assert (site.function, site.owner, site.gb_id) == ("_use_grad", "torch", "GB0025")
    assert site.own_frame is not None
    assert site.own_frame.function == "run"
