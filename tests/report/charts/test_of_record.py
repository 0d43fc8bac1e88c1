from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import vl_convert
from report.compared import comparison
from report.html.pages import broken
from report.values import observation, record

from pytest_compilecheck.report.charts.chart import CONFIG
from pytest_compilecheck.report.charts.of_record import SPECS, charts_of

RECORD = broken(policies=comparison())


def fields(spec: Any) -> Iterator[str]:
    """The names of all fields that a specification draws."""
    if isinstance(spec, dict):
        if isinstance(spec.get("field"), str):
            yield spec["field"]
        for each in spec.values():
            yield from fields(each)
    elif isinstance(spec, list):
        for each in spec:
            yield from fields(each)


def test_which_there_are() -> None:
    titles = [chart.title for chart in charts_of(RECORD)]
    assert titles == [
        "Latency of each call",
        "Cost over the number of requests",
        "Cost of this trace",
        "Warm latency of each size",
        "Compilations over the trace",
        "Memory of the process after each call",
        "Latency of each call: static",
        "Latency of each call: dynamic",
        "Latency of each call: pow2",
    ]


def test_what_was_not_observed_has_none() -> None:
    assert charts_of(record()) == []
    assert charts_of(record(observed=observation(timeline=()))) == []
    empty = comparison(runs=(), costs=(), ranges=(), choice=None)
    assert charts_of(record(policies=empty)) == []


@pytest.mark.parametrize("kind", SPECS)
def test_a_specification_is_one_and_draws_what_the_rows_have(kind: str) -> None:
    chart = next(each for each in charts_of(RECORD) if each.kind == kind)
    spec = SPECS[kind]
    layers = spec.get("layer", [spec])
    drawn = {layer.get("data", spec.get("data"))["name"] for layer in layers}
    assert drawn == set(chart.rows)
    for layer in layers:
        rows = chart.rows[layer.get("data", spec.get("data"))["name"]]
        for row in rows:
            assert set(fields(layer)) <= set(row)
    vega = vl_convert.vegalite_to_vega({**spec, "datasets": chart.rows, "config": CONFIG})
    assert vega["marks"]


def test_every_chart_says_what_it_shows() -> None:
    for chart in charts_of(RECORD):
        assert chart.alt.endswith(".")
        assert len(chart.alt) > 20
