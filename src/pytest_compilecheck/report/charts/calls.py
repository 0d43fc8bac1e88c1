"""Latency of each call, cold and warm, with the cause of each spike."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from pytest_compilecheck.observe.observation import CallKind, Observation, TimelineEntry
from pytest_compilecheck.policies.measured import PolicyRun
from pytest_compilecheck.report.charts.chart import SECONDS, TINY, Chart, Row, Spec, shortened
from pytest_compilecheck.report.fallbacks import KINDS
from pytest_compilecheck.report.mechanisms import MECHANISMS, mechanism_text
from pytest_compilecheck.report.recompiles import change_text
from pytest_compilecheck.report.timeline import kinds_text
from pytest_compilecheck.report.wording import plural, sentence, sizes_text

_LABELS, _MOST = 8, 1500
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
_KIND: Final[Spec] = {
    "field": "kind",
    "type": "nominal",
    "title": None,
    "legend": {"columns": 5},
}
_DOMAIN = ["error", "recompile", "compile", "fallback", "hit"]
_COLORS = ["#d94862", "#d9730d", "#3b7dd8", "#b74fc4", "#2a9161"]
_SHAPES = ["cross", "triangle-up", "square", "diamond", "circle"]
SPEC: Final[Spec] = {
    "height": 240,
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
        *(
            {
                "data": {"name": side},
                "mark": {"type": "text", "align": align, "dx": shift, "dy": -9},
                "encoding": {
                    "x": _CALL,
                    "y": _TIME,
                    "text": {"field": "label", "type": "nominal"},
                },
            }
            for side, align, shift in (("left", "left", 4), ("right", "right", -4))
        ),
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
    fallbacks = {
        call: KINDS[each.kind] for each in reversed(seen.fallbacks) for call in each.calls
    }
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
    last = points[-1].call
    labelled = _labelled(shown)
    kinds = kinds_text(point.kind for point in points)
    return Chart(
        kind="calls",
        title=f"{title}{more}",
        alt=f"{plural(len(points), 'call')}: {kinds}. The slowest is call {slowest.call} with"
        f" {slowest.seconds:.3g} s{why}.",
        spec=SPEC,
        rows={
            "calls": [_row(point) for point in shown],
            "left": [_row(point) for point in labelled if point.call * 2 <= last],
            "right": [_row(point) for point in labelled if point.call * 2 > last],
        },
    )


def _row(point: _Point) -> Row:
    return {
        "call": point.call,
        "kind": point.kind,
        "seconds": max(point.seconds, TINY),
        "sizes": shortened(point.sizes),
        "why": point.why,
        "label": shortened(point.why, 36),
    }


def _labelled(points: Iterable[_Point]) -> list[_Point]:
    """The slowest of those that have a cause, each cause once."""
    found: dict[str, _Point] = {}
    for point in sorted(points, key=lambda point: -point.seconds):
        if point.why:
            found.setdefault(point.why, point)
    return list(found.values())[:_LABELS]


def _thinned(points: Sequence[_Point]) -> Sequence[_Point]:
    """All calls with a cause, and of the others as many as can be told apart."""
    step = -(-len(points) // _MOST)
    return [point for index, point in enumerate(points) if point.why or index % step == 0]
