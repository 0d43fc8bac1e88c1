"""Warm latency of each size, policy by policy."""

from __future__ import annotations

from typing import Final

from pytest_compilecheck.policies.measured import Comparison, Warm
from pytest_compilecheck.report.charts.chart import (
    POLICY,
    SECONDS,
    TINY,
    Chart,
    Row,
    Spec,
    shortened,
)
from pytest_compilecheck.report.wording import plural, printable, sizes_text

_X: Final[Spec] = {
    "field": "sizes",
    "type": "ordinal",
    "sort": None,
    "axis": {"title": None, "labelAngle": -35, "labelOverlap": True},
}
_DODGED: Final[Spec] = {
    "xOffset": POLICY,
    "color": POLICY,
}
SPEC: Final[Spec] = {
    "height": 240,
    "data": {"name": "steps"},
    "layer": [
        {
            "mark": {"type": "rule", "strokeWidth": 2},
            "encoding": {
                "x": _X,
                "y": {
                    "field": "low",
                    "type": "quantitative",
                    "scale": {"type": "log", "padding": 10},
                    "axis": {**SECONDS, "title": "seconds when warm"},
                },
                "y2": {"field": "high"},
                **_DODGED,
            },
        },
        {
            "mark": {"type": "point", "filled": True, "size": 55, "opacity": 1},
            "encoding": {
                "x": _X,
                "y": {"field": "median", "type": "quantitative", "scale": {"type": "log"}},
                "tooltip": [
                    {"field": field, "type": "nominal"}
                    for field in ("policy", "sizes", "median", "low", "high", "repeats", "stable")
                ],
                **_DODGED,
            },
        },
    ],
}


def latency_by_size(compared: Comparison) -> Chart | None:
    """Median and quartiles of each step when everything is compiled."""
    rows = [_row(run.policy, warm) for run in compared.runs for warm in run.warm]
    if not rows:
        return None
    unstable = sum(not warm.stable for run in compared.runs for warm in run.warm)
    steps = len({warm.step for run in compared.runs for warm in run.warm})
    unsure = f" {plural(unstable, 'median')} did not settle." if unstable else ""
    return Chart(
        kind="sizes",
        title="Warm latency of each size",
        alt=f"Median and quartiles of {plural(steps, 'step')} under each policy.{unsure}",
        rows={"steps": rows},
    )


def _row(policy: str, warm: Warm) -> Row:
    return {
        "policy": printable(policy),
        "sizes": shortened(sizes_text(warm.sizes)) or f"step {warm.step}",
        "median": max(warm.median, TINY),
        "low": max(warm.low, TINY),
        "high": max(warm.high, TINY),
        "repeats": warm.repeats,
        "stable": "yes" if warm.stable else "no",
    }
