"""Latency of each call, cold and warm, with the cause of each spike."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pytest_compilecheck.observe.values.observation import CallKind, Observation, TimelineEntry
from pytest_compilecheck.policies.measured import PolicyRun
from pytest_compilecheck.report.charts.chart import SECONDS, TINY, Chart, Row, Spec, shortened
from pytest_compilecheck.report.parts.fallbacks import KINDS
from pytest_compilecheck.report.parts.recompiles import change_text
from pytest_compilecheck.report.parts.timeline import kinds_text
from pytest_compilecheck.report.policies.mechanisms import MECHANISMS, mechanism_text
from pytest_compilecheck.report.wording import plural, sentence, sizes_text

_LABELS, _MOST = 6, 1500
_HEIGHT, _LANE_HEIGHT = 260, 15
_CALL: Final[Spec] = {
    "field": "call",
    "type": "quantitative",
    "axis": {"tickMinStep": 1, "format": "d", "title": "call", "grid": False},
    "scale": {"nice": False, "zero": False, "padding": 14},
}
_TIME: Final[Spec] = {
    "field": "seconds",
    "type": "quantitative",
    "scale": {"type": "log", "padding": 16},
    "axis": SECONDS,
}
_LANE: Final[Spec] = {**_TIME, "field": "lane"}
_KIND: Final[Spec] = {
    "field": "kind",
    "type": "nominal",
    "title": None,
    # A call of unknown kind is rare, and its tooltip says it.
    "legend": {"columns": 5, "values": ["error", "recompile", "compile", "fallback", "hit"]},
}
_DOMAIN = ["error", "recompile", "compile", "fallback", "hit", "unknown"]
_COLORS = ["#d94862", "#d9730d", "#3b7dd8", "#b74fc4", "#2a9161", "#7d7d7d"]
_SHAPES = ["cross", "triangle-up", "square", "diamond", "circle", "triangle-down"]
SPEC: Final[Spec] = {
    "height": _HEIGHT,
    "layer": [
        {
            "data": {"name": "calls"},
            "mark": {"type": "line", "strokeWidth": 1, "opacity": 0.35, "color": "currentColor"},
            "encoding": {"x": _CALL, "y": _TIME},
        },
        {
            "data": {"name": "calls"},
            "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
            "encoding": {
                "x": _CALL,
                "y": _TIME,
                "color": {**_KIND, "scale": {"domain": _DOMAIN, "range": _COLORS}},
                "shape": {**_KIND, "scale": {"domain": _DOMAIN, "range": _SHAPES}},
                "tooltip": [
                    {"field": field, "type": "nominal"}
                    for field in ("call", "kind", "seconds", "sizes", "why")
                ],
            },
        },
        {
            "data": {"name": "labels"},
            "mark": {"type": "rule", "strokeWidth": 1, "opacity": 0.4},
            "encoding": {"x": _CALL, "y": _LANE, "y2": {"field": "seconds"}},
        },
        {
            "data": {"name": "labels"},
            "mark": {
                "type": "text",
                "align": {"expr": "datum.side"},
                "dx": {"expr": "datum.side === 'left' ? 4 : -4"},
            },
            "encoding": {"x": _CALL, "y": _LANE, "text": {"field": "label", "type": "nominal"}},
        },
    ],
}


@dataclass(frozen=True, slots=True)
class _Point:
    """A call on the chart; `why` is what made it slow, "" for one that was not."""

    call: int
    kind: CallKind
    seconds: float
    sizes: str
    why: str


def of_timeline(seen: Observation) -> Chart | None:
    """The calls of a contract; None where there are none."""
    if not seen.timeline:
        return None
    causes = {
        event.call: change_text(event.changes[0]) for event in reversed(seen.recompile_events)
    }
    fallbacks = {call: KINDS[each.kind] for each in reversed(seen.fallbacks) for call in each.calls}
    points = [
        _Point(
            entry.call,
            entry.kind,
            entry.seconds,
            sizes_text(entry.sizes),
            _cause(entry, causes.get(entry.call, ""), fallbacks.get(entry.call, "")),
        )
        for entry in seen.timeline
    ]
    return _chart("Latency of each call", points)


def of_policy(run: PolicyRun) -> Chart | None:
    """The calls of a replay under one policy; None where it was not run."""
    if not run.calls:
        return None
    points = [
        _Point(
            each.call,
            each.kind,
            each.seconds,
            sizes_text(each.sizes),
            mechanism_text(each.mechanism, each.detail) if each.mechanism else "",
        )
        for each in run.calls
    ]
    return _chart(f"Latency of each call: {run.policy}", points)


def _cause(entry: TimelineEntry, change: str, fallback: str) -> str:
    if entry.kind == "error":
        return sentence(entry.error or "raised")
    if entry.kind == "recompile":
        return change or MECHANISMS["rebuild"]
    if entry.kind == "compile":
        return MECHANISMS["first_compile"]
    return fallback if entry.kind == "fallback" else ""


def _chart(title: str, points: Sequence[_Point]) -> Chart:
    shown = _thinned(points)
    left_out = len(points) - len(shown)
    more = f"; {plural(left_out, 'warm call')} not drawn" if left_out else ""
    slowest = max(points, key=lambda point: point.seconds)
    why = f" ({slowest.why})" if slowest.why else ""
    kinds = kinds_text(point.kind for point in points)
    return Chart(
        kind="calls",
        title=f"{title}{more}",
        alt=f"{plural(len(points), 'call')}: {kinds}. The slowest is call {slowest.call} with"
        f" {slowest.seconds:.3g} s{why}.",
        rows={
            "calls": [_row(point) for point in shown],
            "labels": _labels(shown),
        },
    )


def _row(point: _Point) -> Row:
    return {
        "call": point.call,
        "kind": point.kind,
        "seconds": max(point.seconds, TINY),
        "sizes": shortened(point.sizes),
        "why": point.why,
    }


def _labels(points: Sequence[_Point]) -> list[Row]:
    """The slowest that have a cause, each cause once: a label above the others, in its own lane.

    Labels stand beside their call, towards the middle; lanes are such that no line from a label
    to its call runs through a label that stands on the same side.
    """
    found: dict[str, _Point] = {}
    for point in sorted(points, key=lambda point: -point.seconds):
        if point.why:
            found.setdefault(point.why, point)
    middle = (points[0].call + points[-1].call) / 2
    chosen = sorted(list(found.values())[:_LABELS], key=lambda point: point.call)
    lefts = [point for point in chosen if point.call <= middle]
    rights = [point for point in reversed(chosen) if point.call > middle]
    seconds = [max(point.seconds, TINY) for point in points]
    lanes = _lanes(min(seconds), max(seconds), len(chosen))
    return [
        {
            "call": point.call,
            "seconds": max(point.seconds, TINY),
            "lane": lane,
            "label": shortened(point.why, 36),
            "side": "left" if point.call <= middle else "right",
        }
        for point, lane in zip([*lefts, *rights], lanes, strict=True)
    ]


def _lanes(low: float, high: float, count: int) -> list[float]:
    """Heights for so many labels above the highest call, the uppermost first, in seconds."""
    # A decade at least: where all calls take the same time there is no height to divide.
    height = max(math.log10(high / low), 1)
    lane = height * _LANE_HEIGHT / (_HEIGHT - _LANE_HEIGHT * (count + 1))
    return [high * 10 ** (lane * number) for number in range(count, 0, -1)]


def _thinned(points: Sequence[_Point]) -> Sequence[_Point]:
    """All calls with a cause, and of the others as many as can be told apart."""
    step = -(-len(points) // _MOST)
    return [point for index, point in enumerate(points) if point.why or index % step == 0]
