"""That nothing in a text is markup is held by a parser of Markdown: it gives the text back."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from pytest_compilecheck.report.ci import gfm
from pytest_compilecheck.report.wording import printable

PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
# As people and torch write them, with all that Markdown and GitHub give a meaning.
NASTY = st.text(
    st.one_of(
        st.sampled_from("\\`*_{}[]()<>#+-.!|~=^$@&:/'\"\n\r\t\x1b\u202e 19aZé漢"),
        st.characters(),
    ),
    max_size=30,
)
ADDRESS = re.compile("https?://")


def shown(markdown: str) -> str:
    """The text that a reader sees of one block."""
    rendered = PARSER.render(markdown)
    bare = re.sub(r"<!-- -->|<[^>]*>", "", rendered)
    return html.unescape(bare)


def words(text: str) -> list[str]:
    return printable(text).split()


@given(NASTY.filter(lambda text: not ADDRESS.search(text)))
def test_text_is_shown_as_it_is(text: str) -> None:
    text = text.lstrip(" ")  # four blanks would make code of a paragraph
    assert shown(gfm.text(text)).split() == words(text)
    rendered = PARSER.render(gfm.text(text))
    assert set(re.findall(r"<(\w+)", rendered)) <= {"p", "span"}


@example(" -")
@given(NASTY)
def test_text_in_an_item_a_cell_and_a_summary(text: str) -> None:
    if ADDRESS.search(text):
        return
    item = PARSER.render(f"- {gfm.text(text)}".rstrip())
    assert shown(f"- {gfm.text(text)}".rstrip()).split() == words(text)
    assert item.count("<li>") == 1
    table = gfm.table([("a", False), ("b", True)], [[gfm.text(text), "x"]])
    assert shown(table).split() == ["a", "b", *words(text), "x"]
    assert PARSER.render(table).count("<td") == 2
    summary = PARSER.render(gfm.folded(gfm.html_text(text), "body"))
    assert html.unescape(re.sub("<!-- -->|<[^>]*>", "", summary)).split() == [*words(text), "body"]


@given(NASTY)
def test_code_is_shown_as_it_is(text: str) -> None:
    expected = printable(text)
    rendered = PARSER.renderInline(f"a {gfm.code(text)} b")
    if not expected.strip():
        return
    (found,) = re.findall("<code>(.*)</code>", rendered)
    assert html.unescape(found) == expected
    cell = PARSER.render(gfm.table([("a", False)], [[gfm.code(text, in_cell=True)]]))
    (found,) = re.findall("<code>(.*)</code>", cell)
    assert html.unescape(found) == expected


@given(NASTY.filter(lambda text: not ADDRESS.search(text)))
def test_what_is_strong_is_shown_as_it_is(text: str) -> None:
    rendered = PARSER.renderInline(f"a {gfm.strong(text)} b")
    assert html.unescape(re.sub("<[^>]*>", "", rendered)).split() == ["a", *words(text), "b"]
    assert rendered.count("<strong>") == bool(words(text))


@given(st.lists(NASTY, min_size=1), st.sampled_from(["", "  "]))
def test_a_fence_holds_any_line(lines: list[str], indent: str) -> None:
    item = "- item\n" if indent else ""
    rendered = PARSER.render(item + "\n".join(gfm.fence(lines, indent)) + f"\n\n{indent}after")
    found = re.search(r"<pre><code[^>]*>(.*)</code></pre>", rendered, re.DOTALL)
    assert found is not None
    inside = html.unescape(found[1]).split("\n")[:-1]
    assert [line.rstrip() for line in inside] == [printable(line).rstrip() for line in lines]
    assert "after" not in found[1] or any("after" in line for line in lines)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("by @someone in #12", "by @<!-- -->someone in #<!-- -->12"),
        (":tada: at a:100:8", ":<!-- -->tada: at a:<!-- -->100:8"),
        ("at a.py:14:8", "at a.py:14:8"),
        ("$x$", "<span>$</span>x<span>$</span>"),
        ("<b> & co", "&lt;b&gt; &amp; co"),
        ("a_b _c_ *d*", r"a_b \_c\_ \*d\*"),
        ("1. x", r"1\. x"),
        ("- x", r"\- x"),
        ("-v shows", "-v shows"),
        ("---", r"\---"),
        ("a\nb", r"a\\nb"),
    ],
)
def test_what_github_would_read_otherwise(text: str, told: str) -> None:
    assert gfm.text(text) == told


@pytest.mark.parametrize(
    ("text", "link", "rest"),
    [
        ("see https://a.org/b_c*d*.html.", "https://a.org/b_c*d*.html", "see  ."),
        ("(https://a.org/x)", "https://a.org/x", "( )"),
    ],
)
def test_addresses_are_links(text: str, link: str, rest: str) -> None:
    rendered = PARSER.renderInline(gfm.text(text))
    assert f'<a href="{link}">{link}</a>' in rendered
    assert re.sub("<a.*</a>", " ", rendered) == rest


def test_blanks_stay_outside_of_the_emphasis() -> None:
    assert gfm.strong("  a ") == "  **a** "
    assert gfm.strong(" ") == " "
    assert gfm.code(" ") == " "
