"""A contract file with what was given and the bounds that hold what was seen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from pytest_compilecheck.contract.file.write import beside, comment, entry, head, item
from pytest_compilecheck.report.suggested.seen_bounds import SeenBound

_INDENT = 4


def contract_file(
    name: str,
    fields: Mapping[str, object],
    bounds: Iterable[SeenBound],
    header: Sequence[str] = (),
) -> str:
    """The text of a file of one contract.

    Args:
        name: that of the contract.
        fields: plain data by key, as the author gave them.
        bounds: fields that follow from a run, with comments beside them.
        header: sentences for the head of the file.
    """
    lines = [line for text in header for line in comment(text, 0)]
    lines += head(name)
    for key, value in fields.items():
        lines += entry(key, value, _INDENT)
    lines.append("")
    for bound in bounds:
        lines += _bound_lines(bound)
    return "\n".join([*lines, ""])


def _bound_lines(bound: SeenBound) -> list[str]:
    if bound.value is None:
        return comment(f"no {bound.name}: {bound.why}", _INDENT)
    if bound.notes:
        assert isinstance(bound.value, list)
        start = f"{' ' * _INDENT}{bound.name}:"
        return [*_with_comment([start], bound.why), *_items(bound.value, bound.notes)]
    return _with_comment(entry(bound.name, bound.value, _INDENT), bound.why)


def _with_comment(lines: list[str], why: str) -> list[str]:
    """The lines with a comment at the end of a single one, or above them."""
    whole = beside(lines[0], why) if len(lines) == 1 else None
    return [whole] if whole is not None else [*comment(why, _INDENT), *lines]


def _items(values: Sequence[object], notes: Sequence[Sequence[str]]) -> Iterator[str]:
    for value, texts in zip(values, notes, strict=True):
        for text in texts:
            yield from comment(text, _INDENT + 2)
        yield from item(value, _INDENT + 2)
