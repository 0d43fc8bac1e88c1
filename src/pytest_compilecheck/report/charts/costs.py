"""What policies cost: as lines over the number of requests, and for the trace as it is."""

from __future__ import annotations

import math
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
from pytest_compilecheck.report.policies.verdict import ranges_text
from pytest_compilecheck.report.wording import printable

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
_PARTS = ("first calls", "running", "padding")
BARS: Final[Spec] = {
    "height": 150,
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
    later = compared.ranges[1:]
    # Fewer requests than the trace has steps are not of its mix.
    least = max([1.0, *(each.from_requests for each in compared.ranges[:1])])
    most = 2 * max([compared.requests, least, *(each.from_requests for each in later)])
    costs = {cost.policy: cost for cost in compared.costs}
    crossings: list[Row] = [
        {
            "requests": each.from_requests,
            "seconds": max(costs[each.policy].at(each.from_requests), TINY),
            "lane": lane,
            "side": "left" if each.from_requests**2 < least * most else "right",
            "label": f"{printable(each.policy)} from {math.ceil(each.from_requests):,} on"
            + (", within the noise" if each.close else ""),
        }
        for lane, each in enumerate(later)
    ]
    return Chart(
        kind="cost-lines",
        title="Cost over the number of requests",
        alt=f"{ranges_text(compared) or 'no policy is known to cost the least'}.",
        rows={
            "lines": [row for cost in compared.costs for row in _line(cost, least, most)],
            "trace": [{"requests": max(compared.requests, 1)}],
            "crossings": crossings,
        },
    )


def cost_bars(compared: Comparison) -> Chart | None:
    """What the trace costs: what first calls cost more, running, and running on padding."""
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


def _line(cost: Cost, least: float, most: float) -> Iterator[Row]:
    for sample in range(_SAMPLES + 1):
        requests = least * (most / least) ** (sample / _SAMPLES)
        seconds = max(cost.at(requests), TINY)
        yield {"policy": printable(cost.policy), "requests": requests, "seconds": seconds}


def _parts(cost: Cost, requests: int, run: PolicyRun | None) -> Iterator[Row]:
    running = cost.per_request * requests
    padded = 1 - run.real_elements / run.elements if run and run.elements else 0.0
    seconds = (max(cost.fixed, 0.0), running * (1 - padded), running * padded)
    for order, (part, each) in enumerate(zip(_PARTS, seconds, strict=True)):
        yield {"policy": printable(cost.policy), "part": part, "order": order, "seconds": each}
