"""One chart: a Vega-Lite specification and the rows that it draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

Row = Mapping[str, object]
Spec = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """A chart of one contract.

    `kind` names its specification, a unit or a layer that names its datasets and has no data;
    `rows` are these datasets. `alt` tells in a sentence what the chart shows, for whom cannot
    see it.
    """

    kind: str
    title: str
    alt: str
    rows: Mapping[str, Sequence[Row]]


COLORS: Final = ("#3b7dd8", "#d9730d", "#2a9161", "#b74fc4", "#d94862", "#8a7a12", "#0e8fa8")
"""Of policies, in order: told apart from each other, and from white and black alike."""

CONFIG: Final[Spec] = {
    # The colour of the text around the chart: light, dark and print need no chart of their own.
    "background": None,
    "font": "system-ui, sans-serif",
    "view": {"stroke": None},
    "range": {"category": list(COLORS)},
    "text": {"color": "currentColor", "fontSize": 11},
    "rule": {"color": "currentColor"},
    "title": {"color": "currentColor", "anchor": "start", "fontSize": 14},
    "axis": {
        "labelColor": "currentColor",
        "titleColor": "currentColor",
        "domainColor": "currentColor",
        "tickColor": "currentColor",
        "gridColor": "currentColor",
        "gridOpacity": 0.12,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "labelLimit": 150,
    },
    "legend": {
        "labelColor": "currentColor",
        "titleColor": "currentColor",
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "labelLimit": 150,
        "orient": "top",
    },
}

SECONDS: Final[Spec] = {
    "labelExpr": "format(datum.value, '~s') + 's'",
    "title": "seconds",
    "values": [digit * 10.0**power for power in range(-6, 6) for digit in (1, 3)],
}
"""Axis of a time: "100µs", "300µs", "1ms"."""

TINY: Final = 1e-6
"""Seconds: what is less is drawn as this, since a logarithmic axis has no 0."""


POLICY: Final[Spec] = {"field": "policy", "type": "nominal", "sort": None, "title": "policy"}
LINES_OF_POLICIES: Final[Spec] = {"color": POLICY, "strokeDash": POLICY}
"""Tells lines apart by colour, and without it by their dashes."""


def shortened(text: str, most: int = 48) -> str:
    """A text that fits on a chart."""
    return text if len(text) <= most else f"{text[: most - 1]}…"
