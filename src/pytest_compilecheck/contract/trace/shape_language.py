"""The shape language: "B S 64" and (8, 128) as a tuple of sizes and dim names."""

from __future__ import annotations

import re

from pytest_compilecheck.contract.faults import Report
from pytest_compilecheck.contract.parsers import is_whole
from pytest_compilecheck.contract.plain import shown

Dims = tuple[int | str, ...]

_SEPARATOR = re.compile(r"\s*,\s*|\s+")
_SIZE = re.compile(r"[0-9]{1,18}")


def parse_shape(shape: object, report: Report) -> Dims:
    """Sizes (ints, 0 or more) and dim names (identifiers) of a shape, in order.

    A shape is a text of items with spaces or commas between them, or a tuple of ints and dim
    names; () is a tensor without dimensions. Each faulty item is reported and left out.
    """
    if isinstance(shape, str):
        return _parse_text(shape, report)
    if isinstance(shape, tuple):
        items = [_tuple_item(item, shape, report) for item in shape]
        return tuple(item for item in items if item is not None)
    if isinstance(shape, list) and all(is_whole(item) or isinstance(item, str) for item in shape):
        report(f"{shown(shape)} is a list: write a shape as a tuple, {shown(tuple(shape))}")
    else:
        report(f"expected a shape such as (8, 128) or 'B S 64', got {shown(shape)}")
    return ()


def _parse_text(text: str, report: Report) -> Dims:
    if not text.strip():
        report("the shape is an empty text: write () for a tensor without dimensions")
        return ()
    whole = shown(text)
    items = [_text_item(token, whole, report) for token in _SEPARATOR.split(text.strip())]
    return tuple(item for item in items if item is not None)


def _text_item(token: str, whole: str, report: Report) -> int | str | None:
    if _SIZE.fullmatch(token):
        return int(token)
    if token.isidentifier():
        return token
    if not token:
        report(f"nothing stands beside a comma in {whole}")
    elif token[0] == "-" and _SIZE.fullmatch(token[1:]):
        report(f"the size {shown(token)[1:-1]} in {whole} is negative")
    else:
        report(f"{shown(token)} in {whole} is neither a size nor a dim name")
    return None


def _tuple_item(item: object, shape: tuple[object, ...], report: Report) -> int | str | None:
    if is_whole(item):
        if item >= 0:
            return item
        report(f"the size {item} in {shown(shape)} is negative")
    elif isinstance(item, str) and item.isidentifier():
        return item
    elif isinstance(item, tuple):
        report(f"{shown(shape)} is a tuple of tuples: write several steps as a list, [...]")
    else:
        report(f"{shown(item)} in {shown(shape)} is neither a size nor a dim name")
    return None
