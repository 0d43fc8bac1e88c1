"""Draws the charts of one contract as SVG, PNG or PDF, and gives the library that a page needs.

vl-convert-python does it: an extra of this package, imported when it is needed.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from pytest_compilecheck.judge.run_report import RunReport
from pytest_compilecheck.report.charts.chart import CONFIG, Chart, Spec, shortened
from pytest_compilecheck.report.charts.of_record import SPECS, charts_of
from pytest_compilecheck.report.wording import printable, sentence

if TYPE_CHECKING:
    from types import ModuleType

NEEDED: Final = "charts need vl-convert-python: pip install 'pytest-compilecheck[plots]'"
_WIDTH, _SCALE = 640, 2.0


class PlotError(Exception):
    """There is nothing to draw, or nothing to draw with; the message says what to do."""


def can_draw() -> bool:
    """Whether what draws charts is installed."""
    return find_spec("vl_convert") is not None


def svg_text(report: RunReport) -> str:
    """All charts of the report's one contract as SVG.

    Raises:
        PlotError: the report has several contracts, or nothing to draw.
    """
    image: str = _drawing().vegalite_to_svg(_spec_of(report))
    return image


def png_bytes(report: RunReport) -> bytes:
    """The same as PNG, of twice as many pixels as the SVG has units."""
    image: bytes = _drawing().vegalite_to_png(_spec_of(report), scale=_SCALE)
    return image


def pdf_bytes(report: RunReport) -> bytes:
    """The same as PDF."""
    image: bytes = _drawing().vegalite_to_pdf(_spec_of(report))
    return image


def library() -> str:
    """vega, vega-lite and vega-embed as the text of one script, about 0.9 MB."""
    bundle: str = _drawing().javascript_bundle()
    return bundle


def _drawing() -> ModuleType:
    if not can_draw():
        raise PlotError(NEEDED)
    import vl_convert

    return vl_convert


def _spec_of(report: RunReport) -> Spec:
    records = report.contracts_by_id
    if len(records) != 1:
        names = ", ".join(sentence(each.unit) for each in records[:5])
        more = f" and {len(records) - 5} more" if len(records) > 5 else ""
        choice = f": name it with `compilecheck render --contract ID`, one of {names}{more}"
        raise PlotError(f"an image has one contract{choice if records else ', and there is none'}")
    charts = charts_of(records[0])
    if not charts:
        raise PlotError(
            f"nothing was observed of {sentence(records[0].name)}: no chart can be made"
        )
    return {
        "title": {"text": shortened(printable(records[0].name), 80), "fontSize": 16},
        "vconcat": [_view(chart, number) for number, chart in enumerate(charts)],
        # Each chart has colours and axes of its own.
        "resolve": {"scale": dict.fromkeys(("color", "shape", "strokeDash"), "independent")},
        "datasets": {
            f"{name}-{number}": list(rows)
            for number, chart in enumerate(charts)
            for name, rows in chart.rows.items()
        },
        "config": {**CONFIG, "background": "white", "font": "sans-serif"},
    }


def _view(chart: Chart, number: int) -> Spec:
    """A chart whose datasets have names of their own among those of the others."""
    view = {**SPECS[chart.kind], "width": _WIDTH, "title": chart.title}
    if "data" in view:
        view["data"] = _named(view["data"], number)
    if "layer" in view:
        view["layer"] = [
            {**layer, "data": _named(layer["data"], number)} if "data" in layer else layer
            for layer in view["layer"]
        ]
    return view


def _named(data: Spec, number: int) -> Spec:
    return {"name": f"{data['name']}-{number}"}
