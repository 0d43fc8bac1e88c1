"""The lines of the terminal report as HTML: the same words, as headings, lists and code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final, Literal

from markupsafe import Markup

from pytest_compilecheck.report.style import COLUMNS_KEPT, Line, Span, indentation, is_label
from pytest_compilecheck.report.wording import WEB_ADDRESS, printable

_Shape = Literal["columns", "heading", "item", "paragraph"]
_HEADING: Final = Markup("<h4>{}</h4>")
_PARAGRAPH: Final = Markup("<p>{}</p>")
_ITEM: Final = Markup('<li class="depth-{}">{}</li>')


def html_lines(lines: Iterable[Line]) -> Markup:
    """HTML of a section; text in it is escaped.

    What is not indented in the terminal is a heading or a paragraph, the rest are items of lists.
    Source and tables, whose columns matter, stay as they are.
    """
    told: list[Markup] = []
    for shape, group in groupby(filter(None, lines), key=_shape):
        if shape == "columns":
            rows = Markup("\n").join(map(_spans, _at_the_margin(list(group))))
            told.append(Markup('<pre tabindex="0">{}</pre>').format(rows))
        elif shape == "item":
            told.append(Markup("<ul>{}</ul>").format(Markup().join(map(_item, group))))
        else:
            frame = _HEADING if shape == "heading" else _PARAGRAPH
            told += [frame.format(_spans(line)) for line in group]
    return Markup("\n").join(told)


def _shape(line: Line) -> _Shape:
    if any(span.meaning in COLUMNS_KEPT for span in line):
        return "columns"
    if indentation(line):
        return "item"
    return "heading" if all(span.meaning == "heading" for span in line) else "paragraph"


def _at_the_margin(lines: Sequence[Line]) -> Sequence[Line]:
    """The lines without the indentation that all of them begin with."""
    is_indented = all(line[0].text.isspace() for line in lines)
    return [line[1:] for line in lines] if is_indented else lines


def _item(line: Line) -> Markup:
    return _ITEM.format(min(indentation(line) // 2, 4), _spans(line).strip())


def _spans(line: Line) -> Markup:
    return Markup().join(map(_span, line))


def _span(span: Span) -> Markup:
    if is_label(span):
        return Markup('<span class="label {}">{}</span> ').format(span.meaning, span.text.strip())
    text = Markup().join(_linked(span.text))
    if span.meaning == "plain":
        return text
    if span.meaning in ("location", "code"):
        # A name may be written from right to left: what stands around it is not.
        return Markup('<code class="{}"><bdi>{}</bdi></code>').format(span.meaning, text)
    return Markup('<span class="{}">{}</span>').format(span.meaning, text)


def _linked(text: str) -> Iterator[Markup]:
    """The text with its web addresses as links."""
    end = 0
    for found in WEB_ADDRESS.finditer(text):
        yield Markup.escape(printable(text[end : found.start()]))
        address = printable(found[0])
        yield Markup('<a href="{}" rel="noreferrer">{}</a>').format(address, address)
        end = found.end()
    yield Markup.escape(printable(text[end:]))
