from __future__ import annotations

from judge.test_accepted import EVENTS, GROWN, REBUILDS, accepting, rule

from pytest_compilecheck.judge.told import told_change, told_site
from pytest_compilecheck.report.accepted import OVERLAP, accepted_lines, accepted_rows, overlap
from pytest_compilecheck.report.ci.markdown import markdown_text
from pytest_compilecheck.report.html.page import html_text
from report.values import record, run, site

TWICE = accepting(REBUILDS, rule("again", told_change(1, GROWN)))
NAME = "tests/test_mlp.py::test_mlp"


def test_the_calls_are_named_and_not_the_events() -> None:
    assert len(EVENTS) == 4
    assert list(accepted_lines(TWICE)) == [
        f"allowed in calls 1, 3: {NAME}: rebuilds, because of rebuilds",
        f"allowed in call 1: {NAME}: again, because of again",
    ]
    assert accepted_rows([record(), TWICE]) == [
        ("rebuilds", "of rebuilds", "2 recompiles", "1, 3", NAME),
        ("again", "of again", "1 recompile", "1", NAME),
    ]


def test_a_break_is_not_of_the_call_alone_in_which_torch_met_it() -> None:
    (told,) = accepted_lines(accepting(rule("site", told_site(site()))))
    assert told == f"allowed 1 graph break: {NAME}: site, because of site"


def test_an_exception_whose_calls_are_not_known_is_told() -> None:
    (told,) = accepted_lines(accepting(rule("old", "a line of an earlier release")))
    assert told == f"allowed: {NAME}: old, because of old"


def test_numbers_that_do_not_add_up_are_explained() -> None:
    assert overlap([record(), TWICE])
    assert not overlap([accepting(REBUILDS)])
    for text in (markdown_text(run(TWICE)), html_text(run(TWICE))):
        assert OVERLAP in text
    assert OVERLAP not in markdown_text(run(accepting(REBUILDS)))


def test_the_page_has_them_in_a_table() -> None:
    page = html_text(run(TWICE))
    assert '<h2 id="accepted">Accepted</h2>' in page
    assert "<td><bdi>of rebuilds</bdi></td><td><bdi>2 recompiles</bdi></td>" in page
    assert 'id="accepted"' not in html_text(run(record()))
