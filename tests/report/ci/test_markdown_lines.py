from __future__ import annotations

from report.values import attempt, fallback, observation, recompile, record, site, violation

from pytest_compilecheck.report.ci.markdown_lines import markdown_lines
from pytest_compilecheck.report.failure import failure_lines
from pytest_compilecheck.report.style import BLANK, Span, line


def test_what_is_not_indented_is_a_paragraph_and_the_rest_lists() -> None:
    lines = [
        line(Span("a heading", "heading")),
        BLANK,
        line("a title  ", Span("model.py:1 in f", "location")),
        line("  item ", Span("bad", "bad")),
        line("    item of it"),
        line("  ", Span("hint   ", "cure"), "do *this*"),
        line(Span("why", "dim")),
    ]
    assert markdown_lines(lines) == (
        "**a heading**\n"
        "\n"
        "a title  `model.py:1 in f`\n"
        "\n"
        "- item **bad**\n"
        "  - item of it\n"
        "- *hint:* do \\*this\\*\n"
        "\n"
        "why"
    )


def test_lines_that_keep_their_columns_are_blocks_of_code_in_the_item_above() -> None:
    lines = [
        line("table"),
        line(Span("a  b", "row")),
        line("  item"),
        line("    ", Span("> 1 |", "mark"), " x"),
        line("    ", Span("    |", "gutter"), " ", Span("^", "caret")),
        line("  next"),
    ]
    assert markdown_lines(lines) == (
        "table\n\n```text\na  b\n```\n- item\n  ```text\n  > 1 | x\n      | ^\n  ```\n- next"
    )


def test_nothing_is_nothing() -> None:
    assert markdown_lines([]) == ""


def test_every_word_of_a_failure_is_there() -> None:
    broken = record(
        violation("max_graph_breaks", 0, 1),
        violation("fallback", 0, 1),
        observed=observation(
            break_sites=(site(),),
            recompile_events=(recompile(),),
            recompile_attempts=(attempt(),),
            fallbacks=(fallback(),),
        ),
    )
    lines = failure_lines(broken, root="/nowhere", rerun="pytest x")
    told = markdown_lines(lines).replace("\\", "").replace("&gt;", ">")
    for words in (span.text.split() for spans in lines for span in spans):
        assert all(word in told for word in words)
