"""What a single guard shows of containers: their length, keys and items."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import pytest
import torch
from observe.guards.made import Config, Told, frame, guard, told
from torch import nn

from pytest_compilecheck.observe.guards.changes import dict_length_change
from pytest_compilecheck.observe.guards.frame import Remembered


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("len(L['v']) == 2", [1], ("container_length", "len(v)", "2", "1")),
        ("not L['v']", (1,), ("container_length", "len(v)", "0", "1")),
        # Up to 2.8 a loop over its rows asks for the length of a tensor.
        ("len(L['v']) == 2", torch.ones(3, 4), ("shape", "v.size(0)", "2", "3")),
    ],
)
def test_a_length(text: str, value: Any, expected: Told) -> None:
    assert told(guard("LENGTH_CHECK", "L['v']", text), v=value) == [expected]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (iter((1, 2, 3)), ("container_length", "len(v)", "2", "3")),
        (iter([1, 2]), ("python_type", "v", "tuple_iterator", "list_iterator")),
    ],
)
def test_an_iterator(value: Any, expected: Told) -> None:
    made = guard("TUPLE_ITERATOR_LEN", "L['v']", "___tuple_iterator_len(L['v']) == 2")
    assert told(made, v=value) == [expected]


@pytest.mark.parametrize(
    ("kind", "text", "value", "expected"),
    [
        (
            "DICT_CONTAINS",
            "___dict_contains('a, b', L['v'])",
            {},
            ("with 'a, b'", "without 'a, b'"),
        ),
        ("DICT_CONTAINS", "not ___dict_contains(1, L['v'])", {1: 2}, ("without 1", "with 1")),
    ],
)
def test_a_key(kind: str, text: str, value: Any, expected: tuple[str, str]) -> None:
    assert told(guard(kind, "L['v']", text), v=value) == [("dict_keys", "v", *expected)]


def test_an_item_of_a_set_is_part_of_its_value() -> None:
    made = guard("SET_CONTAINS", "L['v']", "set.__contains__(L['v'], 'a')")
    assert told(made, v={"b"}) == [("python_value", "v", "with 'a'", "without 'a'")]


@pytest.mark.parametrize(
    ("keys", "index", "before"),
    [
        ({"L['v']": ("'a'", "'b'")}, 0, "keys ['a', 'b']"),
        # Nothing is remembered: the guard tells the one.
        ({}, 0, "keys ['a', 'c', 'd']"),
        ({}, 1, "keys ['b', 'a', 'd']"),
        ({}, 2, "keys ['b', 'c', 'a']"),
    ],
)
def test_a_key_in_its_order(keys: dict[str, tuple[str, ...]], index: int, before: str) -> None:
    source = f"list(dict.keys(L['v']))[{index}]"
    made = guard("EQUALS_MATCH", source, f"{source} == 'a'")
    expected = ("dict_keys", "v", before, "keys ['b', 'c', 'd']")
    assert told(made, Remembered(keys=keys), v={"b": 1, "c": 2, "d": 3}) == [expected]


def test_a_key_of_which_nothing_is_remembered_was_another_object() -> None:
    source = "list(dict.keys(L['v']))[0]"
    made = guard("ID_MATCH", source, f"___check_obj_id({source}, 7)")
    expected = ("dict_keys", "v", "keys [another object]", "keys ['a']")
    assert told(made, v={"a": 1}) == [expected]


def test_keys_that_read_the_same_are_told_apart() -> None:
    source = "list(dict.keys(L['v']))[0]"
    made = guard("ID_MATCH", source, f"___check_obj_id({source}, 7)")
    before = Remembered(keys={"L['v']": ("Config object",)})
    now = {Config(): 1}
    keys = "keys [Config object]"
    assert told(made, before, v=now) == [("dict_keys", "v", keys, f"another {keys}")]


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({"L['v']": ("'a'",)}, ("container_length", "len(v)", "1", "2")),
        ({"L['v']": ("'a'", "'b'")}, None),
        ({}, None),
    ],
)
def test_the_length_of_an_ordered_dict(
    keys: dict[str, tuple[str, ...]], expected: Told | None
) -> None:
    at_hand = frame(Remembered(keys=keys), v=OrderedDict(a=1, b=2))
    change = dict_length_change("L['v']", at_hand)
    found = change and (change.cause, change.source, change.expected, change.actual)
    assert found == expected
    assert dict_length_change("L['gone']", at_hand) is None


def test_the_number_of_hooks_is_that_of_the_dict_that_holds_them() -> None:
    module = nn.ReLU()
    module.register_forward_hook(print)
    source = "L['m']._forward_hooks"
    change = dict_length_change(source, frame(Remembered(keys={source: ()}), m=module))
    assert change is not None
    assert (change.cause, change.source) == ("hook", "len(m._forward_hooks)")


@pytest.mark.parametrize("kind", ["DICT_VERSION", "MAPPING_KEYS_MATCH"])
def test_keys_of_which_torch_tells_only_that_they_are_others(kind: str) -> None:
    made = guard(kind, "L['v']", "___dict_version(L['v']) == 3")
    expected = ("dict_keys", "v", "other keys", "keys ['a', 2]")
    assert told(made, v={"a": 1, 2: 3}) == [expected]
