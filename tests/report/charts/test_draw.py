from __future__ import annotations

import struct
from xml.etree import ElementTree as ET

import pytest
from report.compared import comparison
from report.html.hostile import HOSTILE
from report.html.pages import broken, hostile_report
from report.values import observation, record, run

from pytest_compilecheck.report.charts import draw
from pytest_compilecheck.report.charts.draw import PlotError, pdf_bytes, png_bytes, svg_text
from pytest_compilecheck.report.wording import printable

SVG = "{http://www.w3.org/2000/svg}"
REPORT = run(broken(policies=comparison()))


def texts(svg: str) -> list[str]:
    return ["".join(each.itertext()) for each in ET.fromstring(svg).iter(f"{SVG}text")]


def test_an_svg_has_all_charts_of_the_contract() -> None:
    told = texts(svg_text(REPORT))
    assert "tests/test_mlp.py::test_broken" in told
    for title in ("Latency of each call", "Cost of this trace", "Latency of each call: pow2"):
        assert title in told
    for label in ("first compile", "x.size(1): 128 -> 129", "static from 2,637 on"):
        assert label in told
    # Each chart that compares policies has one legend of them.
    assert told.count("policy") == 4


def test_a_png_has_two_pixels_for_each_unit_of_the_svg() -> None:
    one = run(record(observed=observation()))
    width = float(ET.fromstring(svg_text(one)).attrib["width"])
    image = png_bytes(one)
    assert struct.unpack(">I", image[16:20])[0] == pytest.approx(2 * width, abs=2)
    assert pdf_bytes(one).startswith(b"%PDF-")


def test_what_there_is_nothing_to_draw_of() -> None:
    with pytest.raises(PlotError, match="an image has one contract, and there is none"):
        svg_text(run())
    with pytest.raises(PlotError, match=r"name it with .*one of a, b, c, d, e and 2 more"):
        svg_text(run(*(record(id=name) for name in "abcdefg")))
    with pytest.raises(PlotError, match=r"nothing was observed of a: no chart can be made"):
        svg_text(run(record(id="a")))


def test_without_the_library_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draw, "can_draw", lambda: False)
    with pytest.raises(PlotError, match=r"pip install 'pytest-compilecheck\[plots\]'"):
        svg_text(REPORT)


@pytest.mark.parametrize("index", range(len(HOSTILE)))
def test_hostile_names_are_text(index: int) -> None:
    svg = svg_text(run(hostile_report().contracts[index]))
    told = texts(svg)
    assert any(printable(HOSTILE[index])[:20].strip() in each for each in told)
    assert float(ET.fromstring(svg).attrib["width"]) < 1000
    tags = {each.tag.rpartition("}")[2] for each in ET.fromstring(svg).iter()}
    assert tags <= {"svg", "g", "path", "rect", "line", "text", "defs", "clipPath", "style"}
