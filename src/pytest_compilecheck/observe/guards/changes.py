"""A guard that does not hold, in words: what changed, where it lives, its value then and now."""

from __future__ import annotations

import ast
import enum
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import torch

from pytest_compilecheck.contract.causes import Cause
from pytest_compilecheck.observe.guards.frame import Frame
from pytest_compilecheck.observe.guards.scope import Missing
from pytest_compilecheck.observe.guards.tensor import TensorCheck
from pytest_compilecheck.observe.guards.tree import Guard
from pytest_compilecheck.observe.guards.words import in_words, short, type_name
from pytest_compilecheck.observe.reason_text import without_addresses
from pytest_compilecheck.observe.values.recompile import Change

_LENGTH = "len({})"
_TYPE = re.compile(r"type=<class '(?P<name>[^']+)'>")
_KEY = re.compile(r"^list\(dict\.keys\((?P<dict>.*)\)\)\[(?P<index>\d+)\]")
_CONTAINED = re.compile(r"^(?P<no>not )?(?:___dict_contains|set\.__contains__)\((?P<items>.*)\)$")
_NOT_SET = re.compile(r"^not hasattr\(.+, '(?P<attribute>\w+)'\)$")
_REGISTRY = re.compile(r"\._(?:parameters|buffers|modules)$")  # of a module's attributes
_IDENTITY = re.compile(r"___check_(?:obj|type)_id\(.*, (?P<id>\d+)\)")
_UNKNOWN = object()
# Pieces of conditions on what surrounds the call, and what to call it.
_AMBIENT = (
    ("top_saved_tensors_hooks", "saved tensors hooks"),
    ("compare_functorch_state", "functorch transforms"),
)
_TUPLE_ITERATOR: type = type(iter(()))


def guard_changes(guard: Guard, frame: Frame) -> Iterator[Change]:
    """What a guard on one value that does not hold shows to have changed."""
    source = guard.source
    key = _KEY.match(source)
    if key:
        yield _key_change(guard, key["dict"], int(key["index"]), frame)
        return
    try:
        value = frame.scope.value(source)
    except Missing:
        yield from missing_change(source, frame, _type_before(guard, frame))
        return
    read = _READERS.get(guard.kind)
    found = list(read(guard, value, frame)) if read else []
    yield from map(_of_hook, found) if "_hooks" in source else found or [_unread(guard, frame)]


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
    return _of_hook(change) if "_hooks" in source else change


def missing_change(source: str, frame: Frame, before: str = "set") -> Iterator[Change]:
    """Something on the way to a value is gone: its nearest holder that is there has changed.

    `before` tells what the value was.
    """
    parent = next((path for path, _ in frame.scope.path(source)), None)
    if parent is None:
        return
    part = source[len(parent) :]
    is_item = part.startswith("[")
    container = frame.scope.value(parent)
    if _REGISTRY.search(parent):
        yield _moved(source, parent, frame, before)
    elif part == ".__code__":  # a function of Python's before, one of another kind now
        yield frame.change("object_identity", parent, before, in_words(container))
    elif is_item and isinstance(container, Mapping):
        key = _first_key(part)
        yield frame.change("dict_keys", parent, f"with {key}", f"without {key}")
    elif not (is_item and isinstance(container, (list, tuple))):  # their length says the same
        yield frame.change("python_value", parent + part, before, "not set")


def _moved(source: str, registry: str, frame: Frame, before: str) -> Change:
    """A module's parameter, buffer or child is none any more."""
    module = frame.scope.value(_REGISTRY.sub("", registry))
    attribute = _first_key(source[len(registry) :]).strip("'")
    if hasattr(module, attribute):
        now = type_name(getattr(module, attribute))
        return frame.change("python_type", source, before, now)
    return frame.change("module_state", source, before, "not set")


def _type_before(guard: Guard, frame: Frame) -> str:
    check = TensorCheck.read(guard.texts[0]) if guard.kind == "TENSOR_MATCH" else None
    return check.type_name if check else frame.before.labels.get(guard.source, "set")


def _first_key(part: str) -> str:
    """The key with which the rest of an expression begins: "'a'" of "['a'].n"."""
    return part[1 : part.index("]")]


def _of_hook(change: Change) -> Change:
    """Of what belongs to a hook the author knows the dict that holds it."""
    name = re.match(r"(?P<dict>.*?_hooks\b)(?!\))", change.source)
    return replace(change, cause="hook", source=name["dict"] if name else change.source)


def _unread(guard: Guard, frame: Frame) -> Change:
    condition = frame.names.of(without_addresses(guard.conditions[0] if guard.texts else ""))
    return frame.change("other", guard.source, condition, "no longer so")


# Readers: a guard, the value that it does not hold for, and the frame, to changes.


def _tensor(guard: Guard, value: object, frame: Frame) -> Iterator[Change]:
    check = TensorCheck.read(guard.conditions[0])
    mode = frame.before.inference_mode
    for found in check.differences(value, inference_mode=mode) if check else ():
        change = frame.change(
            found.cause, guard.source, found.expected, found.actual, name=f"{{}}{found.suffix}"
        )
        small = change.cause == "shape" and {"0", "1"} & {change.expected, change.actual}
        yield replace(change, special="zero_one") if small else change


def _equals(guard: Guard, value: object, frame: Frame) -> Iterator[Change]:
    known, expected = _literal(guard)
    if guard.source.endswith(".training"):
        yield frame.change("module_state", guard.source, expected, repr(value))
    else:
        yield from _unequal(guard.source, known, expected, value, frame)


def _unequal(
    source: str, known: object, expected: str, value: object, frame: Frame
) -> Iterator[Change]:
    """How a value differs from a constant; item by item where both are sequences."""
    if known is not _UNKNOWN and type(known) is not type(value):
        yield frame.change("python_type", source, type_name(known), type_name(value))
    elif not isinstance(known, (tuple, list)) or not isinstance(value, (tuple, list)):
        yield frame.change("python_value", source, expected, in_words(value))
    elif len(known) != len(value):
        lengths = str(len(known)), str(len(value))
        yield frame.change("container_length", source, *lengths, name=_LENGTH)
    else:
        for index, (then, now) in enumerate(zip(known, value, strict=True)):
            if then != now or type(then) is not type(now):
                yield from _unequal(f"{source}[{index}]", then, short(repr(then)), now, frame)


def _key_change(guard: Guard, source: str, index: int, frame: Frame) -> Change:
    actual = list(map(in_words, frame.scope.value(source)))
    known = _literal(guard)[1] if guard.kind == "EQUALS_MATCH" else "another object"
    guess = [*actual[:index], known, *actual[index + 1 :]]
    before = frame.before.keys.get(source, guess)
    return frame.change("dict_keys", source, _listed(before), _listed(actual))


def _listed(keys: Iterable[str]) -> str:
    return short(f"keys [{', '.join(keys)}]")


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
    yield frame.change(cause, guard.source, before, actual)


def _none(guard: Guard, value: object, frame: Frame) -> Iterator[Change]:
    yield frame.change("python_type", guard.source, "None", type_name(value))


def _not_none(guard: Guard, _: object, frame: Frame) -> Iterator[Change]:
    yield frame.change("python_type", guard.source, "a value", "None")


def _container_length(guard: Guard, value: Any, frame: Frame) -> Iterator[Change]:
    expected = re.search(r"== (\d+)$", guard.conditions[0])
    before = expected[1] if expected else "0"  # "not x" is a length of nothing
    if isinstance(value, torch.Tensor):  # up to 2.8 a loop over its rows asks for it
        yield frame.change("shape", guard.source, before, str(len(value)), name="{}.size(0)")
    else:
        actual = str(len(value))
        yield frame.change("container_length", guard.source, before, actual, name=_LENGTH)


def _iterator_length(guard: Guard, value: Any, frame: Frame) -> Iterator[Change]:
    expected = re.search(r"== (\d+)$", guard.conditions[0])
    if type(value) is not _TUPLE_ITERATOR:
        yield frame.change("python_type", guard.source, _TUPLE_ITERATOR.__name__, type_name(value))
    elif expected:
        actual = str(operator.length_hint(value))
        yield frame.change("container_length", guard.source, expected[1], actual, name=_LENGTH)


def _contains(guard: Guard, value: Any, frame: Frame) -> Iterator[Change]:
    told = _CONTAINED.match(guard.conditions[0])
    if told is None:
        return
    source, lacked = guard.source, bool(told["no"])
    key = told["items"].removesuffix(f", {source}").removeprefix(f"{source}, ")
    then, now = (f"without {key}", f"with {key}") if lacked else (f"with {key}", f"without {key}")
    if source.endswith(".__dict__"):
        yield _attribute_change(source.removesuffix(".__dict__"), key.strip("'"), lacked, frame)
    elif isinstance(value, Mapping):
        yield frame.change("dict_keys", source, then, now)
    else:  # a set
        yield frame.change("python_value", source, then, now)


def _attribute_change(owner: str, name: str, lacked: bool, frame: Frame) -> Change:
    """An attribute was set on an instance, where its class had it, or deleted from it."""
    instance = frame.scope.value(owner)
    of_class = in_words(getattr(type(instance), name)) if hasattr(type(instance), name) else ""
    if not lacked:
        then, now = "set on the instance", of_class or "not set"
    else:
        then, now = of_class or "not set", in_words(getattr(instance, name))
    if then == now:
        then, now = f"{then} of the class", f"{now} set on the instance"
    return frame.change("python_value", f"{owner}.{name}", then, now)


def _mapping_keys(guard: Guard, value: Any, frame: Frame) -> Iterator[Change]:
    actual = _listed(map(in_words, value))
    yield frame.change("dict_keys", guard.source, "other keys", actual)


def _no_attribute(guard: Guard, value: object, frame: Frame) -> Iterator[Change]:
    for text in guard.conditions:
        unset = _NOT_SET.match(text)
        if unset and hasattr(value, unset["attribute"]):
            source = f"{guard.source}.{unset['attribute']}"
            now = in_words(getattr(value, unset["attribute"]))
            yield frame.change("python_value", source, "not set", now)
        attribute = re.search(r"hasattr\(.*'_dynamo_(\w+)_indices'\)", text)
        found = attribute and getattr(value, f"_dynamo_{attribute[1]}_indices", None)
        if attribute and found:
            marked = f"dims marked {attribute[1].replace('_', ' ')}: {sorted(found)}"
            yield frame.change("other", guard.source, "no such mark", marked)


def _told_by_text(guard: Guard, value: object, frame: Frame) -> Iterator[Change]:
    text = guard.conditions[0]
    if "isnan(" in text:  # up to 2.8
        yield from _equals(guard, value, frame)
    for part, name in _AMBIENT:
        if part in text:
            yield _ambient(name)


def _dual_level(_: Guard, __: object, ___: Frame) -> Iterator[Change]:
    yield _ambient("level of forward-mode differentiation")


def _ambient(name: str) -> Change:
    then, now = "as at compile time", "another"
    return Change(cause="global_state", holder="process", source=name, expected=then, actual=now)


_READERS: Mapping[str, Callable[[Guard, Any, Frame], Iterator[Change]]] = {
    "TENSOR_MATCH": _tensor,
    "EQUALS_MATCH": _equals,
    "TRUE_MATCH": _equals,
    "FALSE_MATCH": _equals,
    "FLOAT_IS_NAN": _equals,
    "COMPLEX_IS_NAN": _equals,
    "LAMBDA_GUARD": _told_by_text,
    "RANGE_ITERATOR_MATCH": _equals,
    "TYPE_MATCH": _type,
    "ID_MATCH": _identity,
    "NONE_MATCH": _none,
    "NOT_NONE": _not_none,
    "LENGTH_CHECK": _container_length,
    "DICT_LENGTH": _container_length,
    "TUPLE_ITERATOR_LEN": _iterator_length,
    "DICT_CONTAINS": _contains,
    "SET_CONTAINS": _contains,
    "DICT_VERSION": _mapping_keys,
    "MAPPING_KEYS_MATCH": _mapping_keys,
    "NO_HASATTR": _no_attribute,
    "DYNAMIC_INDICES": _no_attribute,
    "DIMENSION_DYNAMIC_MARKING_GUARD": _no_attribute,
    "DUAL_LEVEL_MATCH": _dual_level,
}


def _literal(guard: Guard) -> tuple[object, str]:
    """What a guard takes its value to equal: the value, where it is a literal, and its text."""
    if "isnan(" in guard.texts[0]:
        return complex("nan") if "complex" in guard.texts[0] else float("nan"), "nan"
    text = guard.texts[0].removeprefix(f"{guard.source} == ")
    cuts = [match.start() for match in re.finditer(r"\s+(?:#|\(HINT)", text)] + [len(text)]
    for cut in cuts:  # what torch says behind it; the literal may hold a "#" itself
        try:
            known = ast.literal_eval(text[:cut].strip())
            return known, in_words(known)
        except (ValueError, SyntaxError):
            continue
    return _UNKNOWN, short(text[: cuts[0]].strip())
