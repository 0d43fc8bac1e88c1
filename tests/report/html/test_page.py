from __future__ import annotations

import json
import sys
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from report.compared import comparison
from report.drawn import reports
from report.html.hostile import HOSTILE
from report.html.pages import Element, broken, hostile_report, parsed, small_report
from report.values import observation, record, run
from security.hostile_strings import STEERS

from pytest_compilecheck.judge.audited import AuditedTest
from pytest_compilecheck.judge.run_report import RunReport
from pytest_compilecheck.report.charts.draw import NEEDED
from pytest_compilecheck.report.charts.of_record import SPECS
from pytest_compilecheck.report.html.page import html_text
from pytest_compilecheck.report.wording import printable


@pytest.fixture
def without_charts(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where vl-convert-python is not installed: quicker, too."""
    monkeypatch.setattr("pytest_compilecheck.report.html.page.can_draw", lambda: False)


def by_class(root: Element, name: str) -> list[Element]:
    return [each for each in root.all() if name in each.attributes.get("class", "").split()]


def test_the_summary(without_charts: None) -> None:
    root = parsed(html_text(small_report()))
    (title,) = root.all("title")
    (heading,) = root.all("h1")
    assert title.text == heading.text == "1 failed, 1 error of 3 compile contracts"
    (facts,) = by_class(root, "facts")
    told = [item.text for item in facts.all("li")]
    assert told == [
        "1 failed",
        "1 error",
        "1 passed",
        "torch 2.13.0, Python 3.11.7",
        "transformers 5.24.0",
    ]


def test_the_table_of_all_contracts_has_the_figures_of_the_terminal(without_charts: None) -> None:
    root = parsed(html_text(small_report()))
    table = next(root.all("table"))
    headings = [each.text for each in table.all("th")]
    assert headings[:5] == ["outcome", "contract", "breaks", "recompiles", "graphs"]
    rows = [[cell.text for cell in row.all("td")] for row in table.all("tr")][1:]
    assert [row[:4] for row in rows] == [
        ["failed", "tests/test_mlp.py::test_broken", "2/0", "2/0"],
        ["error", "tests/test_mlp.py::test_missing", "?/0", "?/0"],
        ["passed", "tests/test_mlp.py::test_held", "0/0", "0/0"],
    ]
    links = [each.attributes["href"] for each in table.all("a")]
    details = [each.attributes["id"] for each in by_class(root, "contract")]
    assert links == ["#c1", "#c2", "#c3"]
    assert details == ["c1", "c2", "c3"]


def test_the_sections_of_a_contract(without_charts: None) -> None:
    root = parsed(html_text(run(broken(policies=comparison()))))
    (contract,) = by_class(root, "contract")
    headings = [each.text.partition(":")[0] for each in contract.all("h4")]
    assert headings == [
        "Graph breaks",
        "Recompiles",
        "Fallbacks",
        "Opaque operators",
        "Fragile guards",
        "Policies for changing shapes",
        "Graph breaks",
        "Graph breaks",
    ]
    folds = [next(each.all("summary")).text for each in by_class(contract, "fold")]
    assert folds == [
        "Every call (8)",
        "Warm latency of each step (18)",
        "Memory that stayed (1)",
        "Calls under static (12)",
        "Calls under dynamic (12)",
        "Calls under pow2 (12)",
        "What the baseline knows",
        "What does not count",
        "The contract",
    ]
    text = contract.text
    assert "x.size(1): 128 -> 129" in text
    assert "model/mlp.py:14:8 in inner" in text
    assert "if y.sum() > 0:" in text
    assert "dynamic costs the least" in text
    assert "pytest --compilecheck tests/test_mlp.py::test_broken" in text
    known, excused = (by_class(contract, "fold")[-3], by_class(contract, "fold")[-2])
    assert "model/mlp.py:40:8" in known.text
    assert "Call to print" in excused.text
    assert "Call to print" not in known.text
    links = [each.attributes for each in contract.all("a")]
    assert links[0] == {"href": "https://example.org/gb0170.html", "rel": "noreferrer"}


def test_the_source_keeps_its_columns(without_charts: None) -> None:
    root = parsed(html_text(run(broken())))
    source = next(root.all("pre"))
    assert source.text == "> 14 | if y.sum() > 0:\n     | ^^^^^^^^^^^^^^^"


def test_a_run_that_is_not_complete_names_all_that_is_missing(without_charts: None) -> None:
    missing = tuple(f"test_{number}" for number in range(9))
    root = parsed(html_text(run(complete=False, missing=missing, left_out=("a",))))
    (told,) = by_class(root, "bad")
    assert told.text.startswith("incomplete: 9 contracts did not run to the end: ")
    assert all(name in told.text for name in missing)
    assert "No contract was run." in root.text
    assert "Left out: collected and deselected" in root.text


def test_an_audit_has_its_tables(without_charts: None) -> None:
    audited = AuditedTest(id="test_a.py::test_a", outcome="passed", observed=observation())
    root = parsed(html_text(run(audit=(audited,))))
    assert "Compile audit" in [each.text for each in root.all("h2")]
    assert "test_a.py::test_a" in root.text


def test_landmarks_names_and_headings() -> None:
    root = parsed(html_text(small_report()))
    tags = Counter(each.tag for each in root.all())
    assert (tags["main"], tags["header"], tags["footer"], tags["h1"]) == (1, 1, 1, 1)
    ids = [each.attributes["id"] for each in root.all() if "id" in each.attributes]
    assert len(ids) == len(set(ids))
    for each in root.all():
        for name in ("aria-labelledby", "for"):
            assert each.attributes.get(name, ids[0]) in ids
    for table in root.all("table"):
        assert next(table.all("caption")).text.strip()
        assert all(each.attributes["scope"] == "col" for each in table.all("th"))
    for chart in by_class(root, "chart"):
        assert chart.attributes["role"] == "img"
        assert chart.attributes["aria-label"].strip()
    levels = [int(each.tag[1]) for each in root.all("h1", "h2", "h3", "h4")]
    steps = [after - before for before, after in pairwise(levels)]
    assert max(steps) == 1


def test_charts_have_their_rows_as_data() -> None:
    root = parsed(html_text(small_report()))
    figures = list(root.all("figure"))
    kinds = [next(iter(by_class(each, "chart"))).attributes["data-kind"] for each in figures]
    assert kinds == [
        *("calls", "cost-lines", "cost-bars", "sizes", "variants", "memory"),
        *("calls", "calls", "calls", "calls"),
    ]
    rows = json.loads(next(figures[0].all("script")).own_text)
    assert [row["call"] for row in rows["calls"]] == list(range(8))
    (specs,) = (each for each in root.all("script") if each.attributes.get("id") == "charts")
    assert json.loads(specs.own_text)["specs"] == json.loads(json.dumps(SPECS))


def test_without_the_library_there_are_no_charts_and_the_page_says_so(
    without_charts: None,
) -> None:
    root = parsed(html_text(small_report()))
    assert NEEDED in root.text
    assert not list(root.all("figure"))
    assert len(list(root.all("script"))) == 1
    assert len(list(root.all("table"))) > 8


def test_the_page_names_nothing_outside_of_it() -> None:
    text = html_text(small_report())
    root = parsed(text)
    policy = next(each for each in root.all("meta") if "http-equiv" in each.attributes)
    assert policy.attributes["content"].startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe-eval" not in policy.attributes["content"]
    assert not any("src" in each.attributes for each in root.all())
    assert not list(root.all("link", "img", "iframe", "object", "base"))
    assert not any(name.startswith("on") for each in root.all() for name in each.attributes)
    assert "url(" not in next(root.all("style")).own_text


def test_the_same_report_is_the_same_page(without_charts: None) -> None:
    assert html_text(small_report()) == html_text(small_report())


def assert_harmless(report: RunReport) -> Element:
    """Hold that a page has the elements of our templates alone."""
    text = html_text(report)
    text.encode()
    assert not STEERS.search(text)
    root = parsed(text)
    assert {each.tag for each in root.all()} <= TAGS
    for each in root.all():
        assert not any(name.startswith("on") for name in each.attributes)
        assert each.attributes.get("href", "#").startswith(("#", "http://", "https://"))
    ids = [each.attributes["id"] for each in root.all() if "id" in each.attributes]
    assert len(ids) == len(set(ids))
    assert len(by_class(root, "contract")) == len(report.contracts)
    return root


TAGS = {
    "html", "head", "meta", "title", "style", "body", "a", "header", "h1", "h2", "h3",
    "h4", "ul", "li", "p", "noscript", "main", "section", "form", "label", "input",
    "select", "option", "span", "div", "table", "caption", "thead", "tbody", "tr", "th",
    "td", "code", "bdi", "details", "summary", "pre", "figure", "figcaption", "script",
    "footer",
}  # fmt: skip


@pytest.mark.parametrize("charts", [True, False])
def test_hostile_texts_are_text(charts: bool, request: pytest.FixtureRequest) -> None:
    if not charts:
        request.getfixturevalue("without_charts")
    root = assert_harmless(hostile_report())
    shown = root.text
    for text in HOSTILE:
        assert printable(text) in shown
    for figure in root.all("figure"):
        json.loads(next(figure.all("script")).own_text)


@settings(suppress_health_check=list(HealthCheck), deadline=None, max_examples=60)
@given(report=reports)
def test_any_report_is_a_page_of_our_own_elements(without_charts: None, report: RunReport) -> None:
    assert_harmless(report)


def test_vl_convert_is_loaded_for_charts_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    monkeypatch.setattr("pytest_compilecheck.report.html.page.can_draw", lambda: False)
    assert "<figure>" not in html_text(run(record(observed=observation())))
