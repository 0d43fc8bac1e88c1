"""A guard that does not hold, in words: what changed, where it lives, its value then and now."""

from __future__ import annotations

import ast
import enum
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import FunctionType, MethodType, ModuleType
from typing import Any

import torch

from pytest_compilecheck.contract.causes import Cause
from pytest_compilecheck.observe.guards.names import Names
from pytest_compilecheck.observe.guards.scope import Missing, Scope
from pytest_compilecheck.observe.guards.tensor import TensorCheck
from pytest_compilecheck.observe.guards.tree import Guard
from pytest_compilecheck.observe.reason_text import without_addresses
from pytest_compilecheck.observe.recompile import Change

_LENGTH = "len({})"
_LONGEST = 80  # characters of a value in words
_TYPE = re.compile(r"type=<class '(?P<name>[^']+)'>")
_KEYS = re.compile(r"^list\(dict\.keys\((?P<dict>.*)\)\)\[(?P<index>\d+)\]$")
_CONTAINED = re.compile(r"^(?P<no>not )?___dict_contains\((?P<key>.+?), (?P<dict>.*)\)$")
_IDENTITY = re.compile(r"___check_(?:obj|type)_id\(.*, (?P<id>\d+)\)")


@dataclass(frozen=True, slots=True)
class Remembered:
    """What the text of guards does not say of the time when the graph was made.

    `labels` are words for objects and types, `keys` those of dicts, both by source.
    """

    labels: Mapping[str, str]
    keys: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Frame:
    """What is at hand where a guard failed."""

    scope: Scope
    names: Names
    before: Remembered

    def change(
        self, cause: Cause, source: str, expected: str, actual: str, *, name: str = "{}"
    ) -> Change:
        """A change of what an expression of torch's stands for; `name` has "{}" for its name."""
        holder = self.names.holder(source)
        if holder == "module" and cause == "python_value":
            cause = "module_state"
        return Change(
            cause=cause,
            holder=holder,
            source=name.format(self.names.of(source)),
            expected=expected,
            actual=actual,
        )


def guard_changes(guard: Guard, frame: Frame) -> Iterator[Change]:
    """What a guard on one value that does not hold shows to have changed."""
    source = guard.source
    try:
        value = frame.scope.value(source)
    except Missing:
        yield from _missing(source, frame)
        return
    read = _READERS.get(guard.kind)
    found = list(read(guard, value, frame)) if read else []
    if "_hooks" in source:
        found = [replace(change, cause="hook") for change in found]
    yield from found or [_unread(guard, frame)]


def dict_length_change(source: str, frame: Frame) -> Change | None:
    """The change of a dict's number of items, None where it has none or it is not known."""
    before = frame.before.keys.get(source)
    try:
        actual = len(frame.scope.value(source))
    except (Missing, TypeError):
        return None
    if before is None or actual == len(before):
        return None
    change = frame.change("container_length", source, str(len(before)), str(actual), name=_LENGTH)
    return replace(change, cause="hook") if "_hooks" in source else change


def _missing(source: str, frame: Frame) -> Iterator[Change]:
    """Something on the way to a value is gone: its nearest holder that is there has changed."""
    parent = next((path for path, _ in frame.scope.path(source)), None)
    if parent is None:
        return
    part = source[len(parent) :]
    container = frame.scope.value(parent)
    if isinstance(container, Mapping):
        yield frame.change("dict_keys", parent, f"has {_step_name(part)}", "does not have it")
    elif isinstance(container, (list, tuple)):
        return  # its length is guarded, and says the same
    else:
        cause: Cause = "module_state" if isinstance(container, torch.nn.Module) else "python_type"
        yield frame.change(cause, parent + part, "set", "not set")


def _step_name(part: str) -> str:
    key = re.match(r"\[(?P<key>[^\]]+)\]", part)
    return key["key"] if key else part.lstrip(".")


def _unread(guard: Guard, frame: Frame) -> Change:
    condition = frame.names.of(without_addresses(guard.conditions[0] if guard.texts else ""))
    change = frame.change("other", guard.source, condition, "no longer so")
    return replace(change, holder=frame.names.holder(guard.source))


# Readers: a guard, the value that it does not hold for, and the frame, to changes.


def _tensor(guard: Guard, value: object, frame: Frame) -> Iterator[Change]:
    check = TensorCheck.read(guard.conditions[0])
    for found in check.differences(value) if check else ():
        change = frame.change(
            found.cause, guard.source, found.expected, found.actual, name=f"{{}}{found.suffix}"
        )
        small = change.cause == "shape" and {"0", "1"} & {change.expected, change.actual}
        yield replace(change, special="zero_one") if small else change


def _equals(guard: Guard, value: object, frame: Frame) -> Iterator[Change]:
    keys = _KEYS.match(guard.source)
    known, expected = _literal(guard)
    if keys:
        yield _key_change(keys["dict"], int(keys["index"]), expected, frame)
    elif guard.source.endswith(".training"):
        yield frame.change("module_state", guard.source, expected, repr(value))
    elif known is not _UNKNOWN and type(known) is not type(value):
        yield frame.change("python_type", guard.source, type(known).__name__, type_name(value))
    else:
        yield frame.change("python_value", guard.source, expected, in_words(value))


def _key_change(source: str, index: int, expected: str, frame: Frame) -> Change:
    actual = list(map(in_words, frame.scope.value(source)))
    guess = [*actual[:index], expected, *actual[index + 1 :]]
    before = frame.before.keys.get(source, guess)
    return frame.change("dict_keys", source, _listed(before), _listed(actual))


def _listed(keys: Iterable[str]) -> str:
    return _short(f"keys [{', '.join(keys)}]")


def _type(guard: Guard, value: object, frame: Frame) -> Iterator[Change]:
    told = _TYPE.search(guard.texts[0])
    before = told["name"].rpartition(".")[2] if told else frame.before.labels.get(guard.source, "")
    yield frame.change("python_type", guard.source, before, type_name(value))


def _identity(guard: Guard, value: object, frame: Frame) -> Iterator[Change]:
    told = _TYPE.search(guard.texts[0])
    type_before = told["name"].rpartition(".")[2] if told else ""
    before = frame.before.labels.get(guard.source) or f"another {type_before or 'object'}"
    actual = in_words(value)
    cause: Cause = "object_identity"
    if guard.source.endswith(".training"):
        cause = "module_state"
    elif isinstance(value, type):
        pass  # torch names the class itself where it names the type of other objects
    elif type_before and type_before != type_name(value):
        cause, before, actual = "python_type", type_before, type_name(value)
    elif value is None or isinstance(value, (bool, int, float, str, enum.Enum)):
        cause = "python_value"
    if before == actual:
        actual = f"another {actual}"
    yield frame.change(cause, guard.source, before, actual)


def _none(guard: Guard, value: object, frame: Frame) -> Iterator[Change]:
    yield frame.change("python_type", guard.source, "None", type_name(value))


def _not_none(guard: Guard, _: object, frame: Frame) -> Iterator[Change]:
    yield frame.change("python_type", guard.source, "a value", "None")


def _container_length(guard: Guard, value: Any, frame: Frame) -> Iterator[Change]:
    expected = re.search(r"== (\d+)$", guard.conditions[0])
    before = expected[1] if expected else "0"  # "not x" is a length of nothing
    yield frame.change("container_length", guard.source, before, str(len(value)), name=_LENGTH)


def _iterator_length(guard: Guard, value: Any, frame: Frame) -> Iterator[Change]:
    expected = re.search(r"== (\d+)$", guard.conditions[0])
    actual = str(value.__length_hint__())
    before = expected[1] if expected else ""
    yield frame.change("container_length", guard.source, before, actual, name=_LENGTH)


def _contains(guard: Guard, _: object, frame: Frame) -> Iterator[Change]:
    told = _CONTAINED.match(guard.conditions[0])
    if told is None:
        return
    key, lacked = told["key"], bool(told["no"])
    then, now = ("without {}", "with {}") if lacked else ("with {}", "without {}")
    if guard.source.endswith(".__dict__"):  # an attribute was set on an instance
        attribute = f"{guard.source.removesuffix('.__dict__')}.{key.strip(chr(39))}"
        then, now = ("of the class", "set on the instance")
        if not lacked:
            then, now = now, then
        yield frame.change("python_value", attribute, then, now)
        return
    yield frame.change("dict_keys", guard.source, then.format(key), now.format(key))


def _mapping_keys(guard: Guard, value: Any, frame: Frame) -> Iterator[Change]:
    actual = _listed(map(in_words, value))
    yield frame.change("dict_keys", guard.source, "other keys", actual)


def _marked(guard: Guard, value: object, frame: Frame) -> Iterator[Change]:
    for text in guard.conditions:
        attribute = re.search(r"hasattr\(.*'_dynamo_(\w+)_indices'\)", text)
        found = attribute and getattr(value, f"_dynamo_{attribute[1]}_indices", None)
        if attribute and found:
            told = attribute[1].replace("_", " ")
            yield frame.change("other", guard.source, f"no {told} dims", f"{told} dims {found}")


def _dual_level(_: Guard, __: object, ___: Frame) -> Iterator[Change]:
    yield Change(
        cause="global_state",
        holder="process",
        source="level of forward-mode differentiation",
        expected="the one at compile time",
        actual="another one",
    )


_READERS: Mapping[str, Callable[[Guard, Any, Frame], Iterator[Change]]] = {
    "TENSOR_MATCH": _tensor,
    "EQUALS_MATCH": _equals,
    "TRUE_MATCH": _equals,
    "FALSE_MATCH": _equals,
    "FLOAT_IS_NAN": _equals,
    "COMPLEX_IS_NAN": _equals,
    "RANGE_ITERATOR_MATCH": _equals,
    "TYPE_MATCH": _type,
    "ID_MATCH": _identity,
    "NONE_MATCH": _none,
    "NOT_NONE": _not_none,
    "LENGTH_CHECK": _container_length,
    "DICT_LENGTH": _container_length,
    "TUPLE_ITERATOR_LEN": _iterator_length,
    "DICT_CONTAINS": _contains,
    "SET_CONTAINS": _mapping_keys,
    "DICT_VERSION": _mapping_keys,
    "MAPPING_KEYS_MATCH": _mapping_keys,
    "NO_HASATTR": _marked,
    "DYNAMIC_INDICES": _marked,
    "DIMENSION_DYNAMIC_MARKING_GUARD": _marked,
    "DUAL_LEVEL_MATCH": _dual_level,
}


# Values in words.

_UNKNOWN = object()


def _literal(guard: Guard) -> tuple[object, str]:
    """What a guard takes its value to equal: the value, where it is a literal, and its text."""
    if "IS_NAN" in guard.kind:
        return float("nan"), "nan"
    text = guard.texts[0].removeprefix(f"{guard.source} == ")
    cuts = [match.start() for match in re.finditer(r"\s+(?:#|\(HINT)", text)] + [len(text)]
    for cut in cuts:  # what torch says behind it; the literal may hold a "#" itself
        try:
            return ast.literal_eval(text[:cut].strip()), _short(text[:cut].strip())
        except (ValueError, SyntaxError):
            continue
    return _UNKNOWN, _short(text[: cuts[0]].strip())


def in_words(value: object) -> str:
    """A value as a report names it."""
    if isinstance(value, torch.Tensor):
        return f"{type(value).__name__} of size {tuple(value.shape)}"
    if isinstance(value, type):
        return f"class {value.__name__}"
    if isinstance(value, (FunctionType, MethodType)) or inspect.isbuiltin(value):
        return f"function {value.__name__}"
    if inspect.iscode(value):
        return f"function {value.co_name}"
    if isinstance(value, ModuleType):
        return f"module {value.__name__}"
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name}"
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
        return _short(repr(value))
    return f"{type(value).__name__} object"


def type_name(value: object) -> str:
    """The name of a value's type, "None" for None."""
    return "None" if value is None else type(value).__name__


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
