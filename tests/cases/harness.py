"""Runs a program of known truth under `watch()` and lists every field that differs from it."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import re
from pathlib import Path
from types import ModuleType
from typing import Any

from pytest_compilecheck.observe.values.observation import BreakSite, Observation

HERE = Path(__file__).parent
PROGRAMS = HERE / "programs"
TRUTH: dict[str, dict[str, Any]] = {
    entry["id"]: entry for entry in json.loads((HERE / "truth.json").read_text(encoding="utf-8"))
}


def load(name: str) -> ModuleType:
    """A fresh copy of a program's module."""
    spec = importlib.util.spec_from_file_location(name, PROGRAMS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def observe(name: str) -> Observation:
    """Run one program as its entry describes, and say what was seen."""
    import torch

    from pytest_compilecheck import watch

    program = load(name)
    torch._dynamo.reset()
    torch.manual_seed(0)
    function, calls = program.build()
    before = getattr(program, "before_call", lambda index: None)
    with watch(root=PROGRAMS) as seen:
        compiled = function
        if not getattr(program, "PRECOMPILED", False):
            options = {"backend": "eager", **getattr(program, "COMPILE_KWARGS", {})}
            compiled = torch.compile(function, **options)
        try:
            for index, (arguments, keywords) in enumerate(calls):
                before(index)
                # What a call raises is compared with the truth by its timeline entry.
                with contextlib.suppress(Exception):
                    compiled(*arguments, **keywords)
        finally:
            getattr(program, "after_calls", lambda: None)()
            torch._dynamo.reset()
    return seen.observation


def differences(name: str, seen: Observation, changed: dict[str, Any] | None = None) -> list[str]:
    """Fields in which an observation is not the truth; `changed` holds what a release changes."""
    truth = {**TRUTH[name], **(changed or {})}
    lenient = truth["lenient"]
    found = []
    if "graphs" not in lenient and seen.graphs != truth["graphs"]:
        found.append(f"graphs: {seen.graphs}, should be {truth['graphs']}")
    kinds = [entry.kind for entry in seen.timeline]
    if kinds != truth["per_call"]:
        found.append(f"kinds: {kinds}, should be {truth['per_call']}")
    launches = [entry.graph_launches for entry in seen.timeline]
    if launches != truth["graph_runs_per_call"]:
        found.append(f"launches: {launches}, should be {truth['graph_runs_per_call']}")
    fallbacks = sorted({fallback.kind for fallback in seen.fallbacks})
    expected = [truth["fallback"]] if truth["fallback"] else []
    if "fallback" not in lenient and fallbacks != expected:
        found.append(f"fallbacks: {fallbacks}, should be {expected}")
    found += _break_differences(truth, seen.break_sites)
    found += _recompile_differences(truth, seen)
    raised = {str(entry.call): entry.error for entry in seen.timeline if entry.error}
    if {call: error.split(":")[0] for call, error in raised.items()} != truth["raises"]:
        found.append(f"raised: {raised}, should be {truth['raises']}")
    return found + list(seen.problems)


def _break_differences(truth: dict[str, Any], sites: tuple[BreakSite, ...]) -> list[str]:
    found = []
    expected = {(item["file"], item["line"], item["gb_id"]): item for item in truth["breaks"]}
    got = {(site.file, site.line, site.gb_id): site for site in sites}
    if len(got) != len(sites) or set(got) != set(expected):
        found.append(f"sites: {list(got)}, should be {list(expected)}")
    for key in set(got) & set(expected):
        site, item = got[key], expected[key]
        if site.code != item["code"]:
            found.append(f"code: {site.code!r}, should be {item['code']!r}")
        secondary = item.get("gb_id_secondary")
        if secondary and secondary not in site.gb_ids[1:]:
            found.append(f"second id: {site.gb_ids}, should hold {secondary}")
        place = item.get("torch_location")
        if place and not _torch_place_matches(site, place):
            found.append(f"torch frame: {site.torch_frame}, should be {place}")
    if sum(site.events for site in sites) != truth["break_records_raw"]:
        events = [site.events for site in sites]
        found.append(f"events: {events}, should add up to {truth['break_records_raw']}")
    return found


def _torch_place_matches(site: BreakSite, place: dict[str, Any]) -> bool:
    frame = site.torch_frame
    return frame is not None and frame.file.endswith(place["file"]) and frame.line == place["line"]


def _recompile_differences(truth: dict[str, Any], seen: Observation) -> list[str]:
    found = []
    events, expected = seen.recompile_events, truth["recompiles"]
    if [event.call for event in events] != [item["call_index"] for item in expected]:
        calls = [event.call for event in events]
        return [f"recompiles in calls {calls}, should be {[i['call_index'] for i in expected]}"]
    for event, item in zip(events, expected, strict=True):
        if item["guard_contains"] not in event.guard:
            found.append(f"guard: {event.guard!r}, should hold {item['guard_contains']!r}")
        frame = re.sub(r"^torch_dynamo_resume_in_(.+)_at_\d+$", r"\1", item["frame"])
        if event.function != frame:
            found.append(f"function: {event.function!r}, should be {frame!r}")
        causes = [item["cause"], *item.get("cause_alt", ())]
        if event.cause not in causes:
            found.append(f"cause: {event.cause} of {event.source}, should be one of {causes}")
    attempts = [(attempt.call, attempt.outcome) for attempt in seen.recompile_attempts]
    wanted = [(a["call_index"], a["outcome"]) for a in truth["recompile_attempts_without_graph"]]
    if attempts != wanted:
        found.append(f"attempts: {attempts}, should be {wanted}")
    return found
