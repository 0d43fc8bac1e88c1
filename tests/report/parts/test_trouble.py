from __future__ import annotations

from report.values import entry

from pytest_compilecheck.observe.values.doubt import FIGURES, Doubt
from pytest_compilecheck.report.parts.trouble import (
    doubts_section,
    errors_section,
    problems_section,
)
from pytest_compilecheck.report.style import plain


def test_equal_errors_share_a_line() -> None:
    timeline = [
        entry(0, "error", error="ValueError: a\nb"),
        entry(1),
        entry(2, "error", error="ValueError: a\nb"),
        entry(3, "error", error="TypeError: c"),
    ]
    assert plain(errors_section(timeline)) == (
        "calls 0, 2 raised ValueError: a b\ncall 3 raised TypeError: c"
    )
    assert errors_section([entry(0)]) == []


def test_problems_are_listed_under_what_they_mean() -> None:
    assert plain(problems_section(["One.", "Two."])) == (
        "Not everything could be watched, so no figure is certain:\n  One.\n  Two."
    )
    assert problems_section([]) == []


def test_doubts_are_told_once_with_their_figures() -> None:
    partly = Doubt(("graph_breaks", "hit_rate"), "torch\ntold of none")
    assert plain(doubts_section([partly, partly, Doubt(FIGURES, "no call was heard of")])) == (
        "Some figures are unknown under this torch, and bounds on them fail:\n"
        "  graph breaks, hit rate: unknown, because torch told of none\n"
        "  all figures: unknown, because no call was heard of"
    )
    assert doubts_section([]) == []
