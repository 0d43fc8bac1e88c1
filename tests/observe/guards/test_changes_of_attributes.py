"""What a single guard shows of attributes: set, deleted, moved; and of hooks."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import pytest
import torch
from observe.guards.made import Config, Told, guard, told
from torch import nn

from pytest_compilecheck.observe.guards.frame import Remembered
from pytest_compilecheck.observe.guards.tree import Guard

# Attributes.


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        (
            "not ___dict_contains('mode', L['v'].__dict__)",
            Config(mode="safe"),
            ("python_value", "v.mode", "'fast'", "'safe'"),
        ),
        (
            "not ___dict_contains('mode', L['v'].__dict__)",
            Config(mode="fast"),
            ("python_value", "v.mode", "'fast' of the class", "'fast' set on the instance"),
        ),
        (
            "not ___dict_contains('n', L['v'].__dict__)",
            Config(n=2),
            ("python_value", "v.n", "not set", "2"),
        ),
        (
            "___dict_contains('mode', L['v'].__dict__)",
            Config(),
            ("python_value", "v.mode", "set on the instance", "'fast'"),
        ),
        (
            "___dict_contains('n', L['v'].__dict__)",
            Config(),
            ("python_value", "v.n", "set on the instance", "not set"),
        ),
    ],
)
def test_an_attribute_of_an_instance(text: str, value: Config, expected: Told) -> None:
    assert told(guard("DICT_CONTAINS", "L['v'].__dict__", text), v=value) == [expected]


def test_an_attribute_that_is_there_now() -> None:
    made = guard("NO_HASATTR", "L['v']", "not hasattr(L['v'], 'n')")
    assert told(made, v=Config(n=2)) == [("python_value", "v.n", "not set", "2")]


def test_a_mark_on_a_tensor() -> None:
    x = torch.ones(2, 3)
    x._dynamo_weak_dynamic_indices = {1, 0}  # type: ignore[attr-defined]
    made = guard(
        "NO_HASATTR",
        "L['x']",
        "hasattr(L['x'], '_dynamo_dynamic_indices') == False",
        "hasattr(L['x'], '_dynamo_weak_dynamic_indices') == False",
    )
    assert told(made, x=x) == [("other", "x", "no such mark", "dims marked weak dynamic: [0, 1]")]


# What is gone.


class Scaled(nn.Module):
    def __init__(self, **attributes: Any) -> None:
        super().__init__()
        self.child = nn.ReLU()
        for name, value in attributes.items():
            setattr(self, name, value)


WEIGHT = "L['self']._parameters['w']"
CHECK = (
    f"check_tensor({WEIGHT}, Parameter, DispatchKeySet(CPU, AutogradCPU), torch.float32, "
    "device=None, requires_grad=True, size=[2], stride=[1])"
)


@pytest.mark.parametrize(
    ("made", "local", "expected"),
    [
        (
            guard("EQUALS_MATCH", "L['d']['a']", "L['d']['a'] == 1"),
            {"d": {"b": 1}},
            ("dict_keys", "d", "with 'a'", "without 'a'"),
        ),
        (
            guard("TYPE_MATCH", "L['c'].n", "___check_type_id(L['c'].n, 7)"),
            {"c": Config()},
            ("python_value", "c.n", "int", "not set"),
        ),
        (
            guard("TYPE_MATCH", "L['self'].n", "___check_type_id(L['self'].n, 7)"),
            {"self": Scaled()},
            ("module_state", "self.n", "set", "not set"),
        ),
        (
            guard("TENSOR_MATCH", WEIGHT, CHECK),
            {"self": Scaled()},
            ("module_state", "self.w", "Parameter", "not set"),
        ),
        (
            guard("TENSOR_MATCH", WEIGHT, CHECK),
            {"self": Scaled(w=torch.ones(2))},
            ("python_type", "self.w", "Parameter", "Tensor"),
        ),
        (
            guard("ID_MATCH", "L['f'].__code__", "___check_obj_id(L['f'].__code__, 7)"),
            {"f": math.sqrt},
            ("object_identity", "f", "function relu", "function sqrt"),
        ),
    ],
)
def test_what_is_gone(made: Guard, local: dict[str, Any], expected: Told) -> None:
    labels = {"L['c'].n": "int", "L['f'].__code__": "function relu"}
    assert told(made, Remembered(labels=labels), **local) == [expected]


def test_an_item_of_a_list_that_is_gone_is_told_by_the_length() -> None:
    assert told(guard("EQUALS_MATCH", "L['v'][3]", "L['v'][3] == 1"), v=[1]) == []


class Table(dict[str, int]):
    """A dict of the author's that has attributes as well."""


class Row(NamedTuple):
    """A tuple of the author's."""

    a: int


@pytest.mark.parametrize(("value", "name"), [(Table(a=1), "n"), (Row(1), "n"), ([1], "n")])
def test_an_attribute_of_a_container_is_none_of_its_items(value: Any, name: str) -> None:
    made = guard("EQUALS_MATCH", f"L['v'].{name}", f"L['v'].{name} == 1")
    assert told(made, v=value) == [("python_value", "v.n", "set", "not set")]


def test_of_a_key_that_is_gone_what_was_beneath_it_is_not_told() -> None:
    for source in ("L['d']['a'].n", "L['d']['a']['b']"):
        made = guard("EQUALS_MATCH", source, f"{source} == 1")
        assert told(made, d={"b": 1}) == [("dict_keys", "d", "with 'a'", "without 'a'")]


def test_what_was_never_there_tells_nothing() -> None:
    assert told(guard("EQUALS_MATCH", "L['gone']", "L['gone'] == 1")) == []


# Hooks, and what is not known.


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (
            guard("DICT_LENGTH", "L['self'].child._forward_hooks", "not x"),
            ("hook", "len(self.child._forward_hooks)", "0", "1"),
        ),
        (
            guard(
                "ID_MATCH",
                "L['self'].child._forward_hooks[list(dict.keys(L['self'].child._forward_hooks))[0]]",
                "___check_obj_id(x, 7)",
            ),
            ("hook", "self.child._forward_hooks", "another object", "function print"),
        ),
    ],
)
def test_a_hook_is_known_by_the_dict_that_holds_it(made: Guard, expected: Told) -> None:
    module = Scaled()
    module.child.register_forward_hook(print)
    assert told(made, self=module) == [expected]
