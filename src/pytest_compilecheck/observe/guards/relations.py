"""Guards that relate several values: conditions on sizes, one object under two names."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

import torch

from pytest_compilecheck.contract.causes import Cause
from pytest_compilecheck.observe.guards.frame import Frame
from pytest_compilecheck.observe.guards.scope import Missing
from pytest_compilecheck.observe.guards.tree import Guard
from pytest_compilecheck.observe.guards.words import in_words
from pytest_compilecheck.observe.reason_text import without_place
from pytest_compilecheck.observe.values.recompile import Change, Special

_SIZE = re.compile(r"[LG]\[[^()+*/%<>=]*?\.(?:(?:size|stride)\(\)\[\d+\]|storage_offset\(\))")
_NAME = re.compile(r"[LG]\['\w+'\][\w.\[\]']*")
_EQUAL_SIZES = re.compile(
    r"^(?P<one>[LG]\[\S+\.size\(\)\[\d+\]) == (?P<other>[LG]\[\S+\.size\(\)\[\d+\])$"
)
_SIZE_OF = re.compile(r"^(?P<tensor>.+)\.(?P<what>size|stride)\(\)\[(?P<index>\d+)\]$")
_APART = re.compile(r"^2 <= |>= 2$| != [01]$")  # 0 and 1 are compiled apart
_SAME = re.compile(r"^(?P<one>.+?) is (?P<other>[LG]\[.+|G\b.+)$")
_BASE = re.compile(r"(?P<view>[LG]\[[^()+*/%<>=]*?)\._base\b")
_NO_ALIASING = re.compile(r"^check_no_aliasing\((?P<names>.*)\)$")


def relation_changes(guard: Guard, frame: Frame) -> Iterator[tuple[str, Change]]:
    """What the conditions of a guard that do not hold show; each with torch's name for it."""
    if guard.kind == "NO_TENSOR_ALIASING":
        yield from _duplicates(guard, frame)
        return
    found = list(_broken_conditions(guard, frame))
    resized = {_tensor(source) for source, change in found if change.cause == "shape"}
    for source, change in found:
        # Strides follow from sizes: they are news only where the sizes are the same.
        if change.cause != "stride" or _tensor(source) not in resized:
            yield source, change


def _broken_conditions(guard: Guard, frame: Frame) -> Iterator[tuple[str, Change]]:
    for text in guard.texts:
        for condition in _parts(without_place(text)):
            if not _broken(condition, frame):
                yield from _lost_base(condition, frame)
                continue
            same = _SAME.match(condition)
            duck = "duck sizing" in text
            found = _separated(same, frame) if same else _size_or_number(condition, duck, frame)
            if found is not None:
                yield found


def _lost_base(condition: str, frame: Frame) -> Iterator[tuple[str, Change]]:
    """A condition on what a tensor is a view of, where the tensor is no view any more."""
    for base in _BASE.finditer(condition):
        source = base["view"]
        if frame.scope.has(source) and getattr(frame.scope.value(source), "_base", None) is None:
            yield source, frame.change("other", source, "a view of another tensor", "no view")


def _tensor(source: str) -> str:
    """The tensor of one of its sizes or strides."""
    return source.rpartition(".")[0]


def _parts(condition: str) -> list[str]:
    """A condition, or both sides of one that bounds a value from below and above."""
    try:
        parsed = ast.parse(condition, mode="eval").body
    except SyntaxError:
        return [condition]
    if not isinstance(parsed, ast.Compare) or len(parsed.ops) == 1:
        return [condition]
    values = [parsed.left, *parsed.comparators]
    pairs = zip(values, parsed.ops, values[1:], strict=False)
    return [ast.unparse(ast.Compare(one, [by], [other])) for one, by, other in pairs]


def _broken(condition: str, frame: Frame) -> bool:
    try:
        return not frame.scope.evaluate(condition)
    except Exception:  # noqa: BLE001 - what a condition names may be gone, which is told
        return False


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


def _size_or_number(condition: str, duck: bool, frame: Frame) -> tuple[str, Change] | None:
    found = _SIZE.search(condition) or _NAME.search(condition)
    if found is None:
        return None
    source = _changed_side(condition, frame) or found[0]
    actual = frame.scope.evaluate(source)
    expected, special = _wanted(condition, source, actual, duck, frame)
    change = frame.change(_cause(source), source, expected, str(actual))
    return source, replace(change, special=special)


def _cause(source: str) -> Cause:
    if source.endswith("storage_offset()"):
        return "other"
    of_tensor = _SIZE_OF.match(source)
    if of_tensor is None:
        return "python_value"
    return "shape" if of_tensor["what"] == "size" else "stride"


def _changed_side(condition: str, frame: Frame) -> str | None:
    """Of two sizes that were equal, that which is other than when the graph was made."""
    equal = _EQUAL_SIZES.match(condition)
    for source in equal.groups() if equal else ():
        told = _SIZE_OF.match(source)
        assert told is not None
        sizes, index = frame.before.sizes.get(told["tensor"], ()), int(told["index"])
        if index < len(sizes) and sizes[index] != frame.scope.evaluate(source):
            return str(source)
    return None


def _wanted(
    condition: str, source: str, actual: object, duck: bool, frame: Frame
) -> tuple[str, Special | None]:
    """What a condition demands, in words, and what kind of demand it is."""
    equal = _EQUAL_SIZES.match(condition)
    if equal is not None:
        other = equal["other"] if equal["one"] == source else equal["one"]
        return f"equal to {frame.names.of(other)}", "duck_shape" if duck else "condition"
    if actual in (0, 1) and _APART.search(condition):
        return "2 or more", "zero_one"
    number = condition.removeprefix(f"{source} == ")
    if number.isdigit():
        return number, "specialized"
    # The layout of memory is torch's own condition, no branch of the code.
    layout = _cause(source) in ("stride", "other")
    return frame.names.of(condition), None if layout else "condition"
