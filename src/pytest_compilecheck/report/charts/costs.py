"""What policies cost: as lines over the number of requests, and for the trace as it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_compilecheck.policies.measured import Comparison, Cost, PolicyRun
from pytest_compilecheck.report.charts.chart import (
    LINES_OF_POLICIES,
    SECONDS,
    TINY,
    Chart,
    Row,
    Spec,
)
from pytest_compilecheck.report.wording import number, printable

_SAMPLES, _HEIGHT = 60, 240
_X: Final[Spec] = {
    "field": "requests",
    "type": "quantitative",
    "scale": {"type": "log", "nice": False},
    "axis": {
        "title": "requests",
        "format": "~s",
        "grid": False,
        "values": [10**n for n in range(13)],
    },
}
_Y: Final[Spec] = {
    "field": "seconds",
    "type": "quantitative",
    "scale": {"type": "log", "padding": 16},
    "axis": {**SECONDS, "title": "seconds in all"},
}
LINES: Final[Spec] = {
    "height": _HEIGHT,
    "layer": [
        {
            "data": {"name": "lines"},
            "mark": {"type": "line"},
            "encoding": {"x": _X, "y": _Y, **LINES_OF_POLICIES},
        },
        {
            "data": {"name": "trace"},
            "mark": {"type": "rule", "strokeDash": [2, 4], "opacity": 0.7},
            "encoding": {"x": _X},
        },
        {
            "data": {"name": "trace"},
            "mark": {"type": "text", "align": "right", "dx": -4, "y": 8},
            "encoding": {"x": _X, "text": {"value": "this trace"}},
        },
        {
            "data": {"name": "crossings"},
            "mark": {"type": "point", "size": 80, "color": "currentColor", "strokeWidth": 2},
            "encoding": {"x": _X, "y": _Y},
        },
        {
            "data": {"name": "crossings"},
            "mark": {"type": "rule", "strokeWidth": 1, "opacity": 0.4},
            "encoding": {"x": _X},
        },
        {
            "data": {"name": "crossings"},
            "mark": {
                "type": "text",
                "align": {"expr": "datum.side"},
                "dx": {"expr": "datum.side === 'left' ? 4 : -4"},
                # Below all lines: the cost grows with the requests, and these cross far right.
                "y": {"expr": f"{_HEIGHT - 10} - 14 * datum.lane"},
            },
            "encoding": {"x": _X, "text": {"field": "label", "type": "nominal"}},
        },
    ],
}
_PARTS = ("compiling", "running", "padding")
BARS: Final[Spec] = {
    "height": {"step": 30},
    "data": {"name": "parts"},
    "mark": {"type": "bar"},
    "encoding": {
        "y": {"field": "policy", "type": "nominal", "sort": None, "axis": {"title": None}},
        "x": {
            "field": "seconds",
            "type": "quantitative",
            "stack": "zero",
            "axis": {"title": "seconds for this trace", "tickCount": 6},
        },
        "color": {
            "field": "part",
            "type": "nominal",
            "title": None,
            "scale": {"domain": list(_PARTS), "range": ["#3b7dd8", "#2a9161", "#d9730d"]},
        },
        "order": {"field": "order", "type": "quantitative"},
        "tooltip": [{"field": field, "type": "nominal"} for field in ("policy", "part", "seconds")],
    },
}


def cost_lines(compared: Comparison) -> Chart | None:
    """Each policy's cost over the number of requests, with the points where the best changes."""
    if not compared.costs:
        return None
    later = [each for each in compared.ranges if each.from_requests > 1]
    most = 2 * max([compared.requests, 10, *(each.from_requests for each in later)])
    costs = {cost.policy: cost for cost in compared.costs}
    crossings: list[Row] = [
        {
            "requests": each.from_requests,
            "seconds": max(costs[each.policy].at(each.from_requests), TINY),
            "lane": lane,
            "side": "left" if each.from_requests**2 < most else "right",
            "label": f"{printable(each.policy)} from {number(round(each.from_requests))} on",
        }
        for lane, each in enumerate(later)
    ]
    best = ", ".join(
        f"{printable(each.policy)} from {number(round(each.from_requests))} requests on"
        for each in compared.ranges
    )
    return Chart(
        kind="cost-lines",
        title="Cost over the number of requests",
        alt=f"The cheapest: {best}." if best else "No policy was found to be the cheapest.",
        rows={
            "lines": [row for cost in compared.costs for row in _line(cost, most)],
            "trace": [{"requests": max(compared.requests, 1)}],
            "crossings": crossings,
        },
    )


def cost_bars(compared: Comparison) -> Chart | None:
    """What the trace costs under each policy: compiling, running, and running on padding."""
    if not compared.costs:
        return None
    runs = {run.policy: run for run in compared.runs}
    told = "; ".join(f"{printable(cost.policy)} {cost.total:.3g} s" for cost in compared.costs)
    return Chart(
        kind="cost-bars",
        title="Cost of this trace",
        alt=f"{told}. Padding has the share of the running time that it has of all elements.",
        rows={
            "parts": [
                row
                for cost in sorted(compared.costs, key=lambda cost: cost.total)
                for row in _parts(cost, compared.requests, runs.get(cost.policy))
            ]
        },
    )


def _line(cost: Cost, most: float) -> Iterator[Row]:
    for sample in range(_SAMPLES + 1):
        requests = most ** (sample / _SAMPLES)
        seconds = max(cost.at(requests), TINY)
        yield {"policy": printable(cost.policy), "requests": requests, "seconds": seconds}


def _parts(cost: Cost, requests: int, run: PolicyRun | None) -> Iterator[Row]:
    running = cost.per_request * requests
    padded = 1 - run.real_elements / run.elements if run and run.elements else 0.0
    seconds = (cost.fixed, running * (1 - padded), running * padded)
    for order, (part, each) in enumerate(zip(_PARTS, seconds, strict=True)):
        yield {"policy": printable(cost.policy), "part": part, "order": order, "seconds": each}
