from __future__ import annotations

import pytest
from report.html.pages import parsed

from pytest_compilecheck.report.html.lines import html_lines
from pytest_compilecheck.report.style import BLANK, Line, Span, line


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (line(Span("Breaks:", "heading")), '<h4><span class="heading">Breaks:</span></h4>'),
        (line("a < b"), "<p>a &lt; b</p>"),
        (line(Span("bad", "bad"), " & so"), '<p><span class="bad">bad</span> &amp; so</p>'),
        (line("  an item"), '<ul><li class="depth-1">an item</li></ul>'),
        (line("    deeper"), '<ul><li class="depth-2">deeper</li></ul>'),
        (
            line("  ", Span("why    ", "dim"), "since"),
            '<ul><li class="depth-1"><span class="label dim">why</span> since</li></ul>',
        ),
        (
            line(Span("m.py:1", "location")),
            '<p><code class="location"><bdi>m.py:1</bdi></code></p>',
        ),
        (
            line("see https://a.org/?a&b."),
            '<p>see <a href="https://a.org/?a&amp;b" rel="noreferrer">https://a.org/?a&amp;b</a>.</p>',
        ),
        (BLANK, ""),
    ],
)
def test_a_line(given: Line, told: str) -> None:
    assert html_lines([given]) == told


def test_source_keeps_its_columns_and_loses_its_indentation() -> None:
    lines = [
        (Span("  "), Span("> 2 |", "mark"), Span(" if <x>:")),
        (Span("  "), Span("    |", "gutter"), Span("    "), Span("^^^", "caret")),
    ]
    (source,) = parsed(html_lines(lines)).all("pre")
    assert source.text == "> 2 | if <x>:\n    |    ^^^"
    assert source.attributes == {"tabindex": "0"}


def test_neighbours_of_one_kind_are_one_list() -> None:
    root = parsed(html_lines([line("  a"), line("  b"), line("c"), line("  d")]))
    assert [each.tag for each in root.children] == ["ul", "p", "ul"]
    assert [len(each.children) for each in root.children] == [2, 0, 1]
