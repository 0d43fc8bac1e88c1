"""Guards that relate several values: conditions on sizes, one object under two names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import torch

from pytest_compilecheck.observe.guards.changes import Frame, in_words
from pytest_compilecheck.observe.guards.scope import Missing
from pytest_compilecheck.observe.guards.tree import Guard
from pytest_compilecheck.observe.recompile import Change, Special

_SIZE = re.compile(r"[LG]\[[^()+*/%<>=]*?\.(?:(?:size|stride)\(\)\[\d+\]|storage_offset\(\))")
_NAME = re.compile(r"[LG]\['\w+'\][\w.\[\]']*")
_EQUAL_SIZES = re.compile(r"^(?P<one>\S+\.size\(\)\[\d+\]) == (?P<other>\S+\.size\(\)\[\d+\])$")
_AT_LEAST_TWO = re.compile(r"^2 <= |>= 2$")
_SAME = re.compile(r"^(?P<one>.+?) is (?P<other>[LG]\[.+|G\b.+)$")
_NO_ALIASING = re.compile(r"^check_no_aliasing\((?P<names>.*)\)$")


def relation_changes(guard: Guard, frame: Frame) -> Iterator[tuple[str, Change]]:
    """What the conditions of a guard that do not hold show; each with torch's name for it."""
    if guard.kind == "NO_TENSOR_ALIASING":
        yield from _duplicates(guard, frame)
        return
    for condition in guard.conditions:
        try:
            if frame.scope.evaluate(condition):
                continue
        except Exception:  # noqa: BLE001, S112 - what a condition names may be gone, which is told
            continue
        same = _SAME.match(condition)
        found = _separated(same, frame) if same else _size_or_number(condition, frame)
        if found is not None:
            yield found


def _duplicates(guard: Guard, frame: Frame) -> Iterator[tuple[str, Change]]:
    told = _NO_ALIASING.match(guard.conditions[0])
    if told is None:
        return
    names: dict[int, list[str]] = {}
    for source in told["names"].split(", "):
        try:
            value = frame.scope.value(source)
        except Missing:
            continue
        if isinstance(value, torch.Tensor):
            names.setdefault(id(value), []).append(source)
    for sources in names.values():
        if len(sources) > 1:
            change = frame.change("alias", sources[0], "different tensors", "the same tensor")
            together = ", ".join(frame.names.of(source) for source in sources)
            yield sources[0], replace(change, source=together)


def _separated(same: re.Match[str], frame: Frame) -> tuple[str, Change] | None:
    one, other = same["one"], same["other"]
    value = frame.scope.value(one)
    if not isinstance(value, torch.Tensor):
        then = f"the same object as {frame.names.of(other)}"
        return one, frame.change("object_identity", one, then, in_words(value))
    change = frame.change("alias", one, "the same tensor", "different tensors")
    return one, replace(change, source=f"{frame.names.of(one)}, {frame.names.of(other)}")


def _size_or_number(condition: str, frame: Frame) -> tuple[str, Change] | None:
    size, name = _SIZE.search(condition), _NAME.search(condition)
    found = size or name
    if found is None:
        return None
    source = found[0]
    expected, special = _wanted(condition, source, frame)
    actual = str(frame.scope.evaluate(source))
    change = frame.change("shape" if size else "python_value", source, expected, actual)
    return source, replace(change, special=special)


def _wanted(condition: str, source: str, frame: Frame) -> tuple[str, Special]:
    """What a condition demands, in words, and what kind of demand it is."""
    equal = _EQUAL_SIZES.match(condition)
    if equal is not None:
        other = equal["other"] if equal["one"] == source else equal["one"]
        return f"equal to {frame.names.of(other)}", "duck_shape"
    if _AT_LEAST_TWO.search(condition):
        return "2 or more", "zero_one"
    return frame.names.of(condition), "condition"
