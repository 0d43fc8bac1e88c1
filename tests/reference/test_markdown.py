"""Words of the code, as Markdown shows them."""

from __future__ import annotations

import html
import re

import pytest
from markdown_it import MarkdownIt

from docs_reference.markdown import code, prose, sentence, table
from docs_reference.schema_words import words

SHOWN = MarkdownIt().enable("table")


def text_of(markdown: str) -> str:
    return html.unescape(re.sub("<[^>]+>", "", SHOWN.render(markdown))).strip()


@pytest.mark.parametrize(
    "text",
    ["a*b*c", "_x_", "[a](b)", "<b>", "ids=B S:<1000", "a\\b", "max_graph_breaks of x", "a | b"],
)
def test_prose_shows_what_it_was(text: str) -> None:
    assert text_of(prose(text)) == text


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("use --compilecheck-json=PATH here", "use `--compilecheck-json=PATH` here"),
        ("that warmup_calls bounds", "that `warmup_calls` bounds"),
        ("under torch.no_grad()", "under `torch.no_grad()`"),
        ("as `max_recompiles` is", "as `max_recompiles` is"),
        ("a file, not /tmp/a_b", "a file, not /tmp/a\\_b"),
    ],
)
def test_names_are_code(text: str, marked: str) -> None:
    assert prose(text) == marked


def test_a_table_keeps_its_cells() -> None:
    shown = SHOWN.render(table(["a", "b"], [[code("x|y"), "two\nlines"]]))
    assert "<td><code>x|y</code></td>\n<td>two lines</td>" in shown


@pytest.mark.parametrize(
    ("phrase", "whole"), [("what it is", "What it is."), ("B S 64", "B S 64."), ("torch", "torch.")]
)
def test_sentences(phrase: str, whole: str) -> None:
    assert sentence(phrase) == whole


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        ({"type": "integer", "minimum": 1}, "whole number, 1 or more"),
        ({"type": ["number", "null"], "minimum": 0, "maximum": 1}, "number, 0 to 1; or null"),
        ({"anyOf": [{"const": "pow2"}, {"type": "string"}]}, "`pow2`; or text"),
        ({"type": "array", "items": {"type": ["string", "null"]}}, "list of (text; or null)"),
        ({"enum": ["int64", "torch.int64"]}, "`int64` (also as `torch.NAME`)"),
        ({"$ref": "#/$defs/frame"}, "<frame>"),
        ({"type": "object", "properties": {"a": {}, "b": {}}}, "mapping with `a`, `b`"),
        ({}, "any value"),
    ],
)
def test_schemas_in_words(schema: dict[str, object], told: str) -> None:
    assert words(schema, lambda name: f"<{name}>") == told
