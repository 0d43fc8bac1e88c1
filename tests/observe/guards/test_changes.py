"""What a single guard that does not hold shows to have changed."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from observe.guards.made import Config, Told, frame, guard, told
from torch import nn

from pytest_compilecheck.observe.guards.changes import guard_changes
from pytest_compilecheck.observe.guards.frame import Remembered
from pytest_compilecheck.observe.guards.tensor import OTHER_KEYS
from pytest_compilecheck.observe.guards.tree import Guard
from pytest_compilecheck.observe.values.recompile import Change

# Constants.


@pytest.mark.parametrize(
    ("literal", "value", "expected"),
    [
        ("2", 3, ("python_value", "v", "2", "3")),
        ("2", 2.0, ("python_type", "v", "int", "float")),
        ("True", 1, ("python_type", "v", "bool", "int")),
        ("'a # b'  # return x  # m.py:1 in f", "c", ("python_value", "v", "'a # b'", "'c'")),
        ("3  (HINT: static)", 4, ("python_value", "v", "3", "4")),
        ("{'b', 'a'}", {"c"}, ("python_value", "v", "{'a', 'b'}", "{'c'}")),
        ("<Kind.A: 1>  # x", "c", ("python_value", "v", "<Kind.A: 1>", "'c'")),
        ("(1, 2)", (1, 2, 3), ("container_length", "len(v)", "2", "3")),
        ("(1, 'a')", (1, "b"), ("python_value", "v[1]", "'a'", "'b'")),
        ("(1, (2, 3))", (1, (2, 3.5)), ("python_type", "v[1][1]", "int", "float")),
        ("(1, [2, 3])", (1, [2]), ("container_length", "len(v[1])", "2", "1")),
        ("(1,)", [1], ("python_type", "v", "tuple", "list")),
        ("<Kind.A: 1>", (1, 2), ("python_value", "v", "<Kind.A: 1>", "(1, 2)")),
    ],
)
def test_a_constant(literal: str, value: Any, expected: Told) -> None:
    assert told(guard("EQUALS_MATCH", "L['v']", f"L['v'] == {literal}"), v=value) == [expected]


def test_every_item_of_a_tuple_that_differs() -> None:
    made = guard("EQUALS_MATCH", "L['v']", "L['v'] == (1, 2, 3)")
    assert [source for _, source, _, _ in told(made, v=(4, 2, 5))] == ["v[0]", "v[2]"]


@pytest.mark.parametrize(
    ("kind", "text", "value", "expected"),
    [
        ("LAMBDA_GUARD", "__math_isnan(L['v'])", 1.5, ("python_value", "v", "nan", "1.5")),
        (
            "FLOAT_IS_NAN",
            "(type(L['v']) is float and __math_isnan(L['v']))",
            2,
            ("python_type", "v", "float", "int"),
        ),
        (
            "COMPLEX_IS_NAN",
            "(type(L['v']) is complex and __numpy_isnan(L['v']))",
            1j,
            ("python_value", "v", "nan", "1j"),
        ),
    ],
)
def test_not_a_number(kind: str, text: str, value: Any, expected: Told) -> None:
    assert told(guard(kind, "L['v']", text), v=value) == [expected]


@pytest.mark.parametrize(
    ("source", "holder", "cause"),
    [
        ("L['v']", "argument", "python_value"),
        ("L['m'].v", "module", "module_state"),
        ("G['GAIN']", "global", "python_value"),
    ],
)
def test_a_change_tells_where_its_value_lives(source: str, holder: str, cause: str) -> None:
    module = nn.Module()
    module.v = 2.0
    made = guard("EQUALS_MATCH", source, f"{source} == 1.0")
    (change,) = guard_changes(made, frame(v=2.0, m=module))
    assert (change.holder, change.cause) == (holder, cause)


# Types and identities. torch names no types up to 2.8: they are remembered.


@pytest.mark.parametrize(
    ("behind", "label", "before"),
    [
        (", type=<class 'model.Config'>", None, "Config"),
        (", type=<class 'my.model.Config'>", "Other", "Config"),
        ("", "Config", "Config"),
        ("", None, ""),
    ],
)
def test_a_type(behind: str, label: str | None, before: str) -> None:
    made = guard("TYPE_MATCH", "L['v']", f"___check_type_id(L['v'], 7){behind}")
    then = Remembered(labels={"L['v']": label} if label else {})
    assert told(made, then, v=2) == [("python_type", "v", before, "int")]


@pytest.mark.parametrize(
    ("text", "label", "value", "expected"),
    [
        (
            "7), type=<class 'm.Config'>",
            "Config object",
            Config(),
            ("object_identity", "v", "Config object", "another Config object"),
        ),
        (
            "7), type=<class 'my.m.Config'>",
            "Config object",
            nn.ReLU(),
            ("python_type", "v", "Config", "ReLU"),
        ),
        ("7), type=<class 'bool'>", "True", False, ("python_value", "v", "True", "False")),
        ("7)", "True", False, ("python_value", "v", "True", "False")),
        ("7)", "1", None, ("python_value", "v", "1", "None")),
        ("7)", "function sin", len, ("object_identity", "v", "function sin", "function len")),
        (
            "7), type=<class 'type'>",
            "class A",
            Config,
            ("object_identity", "v", "class A", "class Config"),
        ),
        # Nothing is remembered.
        ("7)", None, len, ("object_identity", "v", "another object", "function len")),
        (
            "7), type=<class 'm.Config'>",
            None,
            Config(),
            ("object_identity", "v", "another Config", "Config object"),
        ),
    ],
)
def test_an_identity(text: str, label: str | None, value: Any, expected: Told) -> None:
    made = guard("ID_MATCH", "L['v']", f"___check_obj_id(L['v'], {text}")
    then = Remembered(labels={"L['v']": label} if label else {})
    assert told(made, then, v=value) == [expected]


@pytest.mark.parametrize(
    "made",
    [
        guard("ID_MATCH", "L['v'].training", "___check_obj_id(L['v'].training, 7)"),
        guard("EQUALS_MATCH", "L['v'].training", "L['v'].training == True"),
    ],
)
def test_a_training_flag_is_the_state_of_its_module(made: Guard) -> None:
    then = Remembered(labels={"L['v'].training": "True"})
    assert told(made, then, v=Config(training=False)) == [
        ("module_state", "v.training", "True", "False")
    ]


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("NONE_MATCH", 2.5, ("python_type", "v", "None", "float")),
        ("NOT_NONE", None, ("python_type", "v", "a value", "None")),
    ],
)
def test_none(kind: str, value: Any, expected: Told) -> None:
    assert told(guard(kind, "L['v']", "L['v'] is None"), v=value) == [expected]


# Tensors.


def tensor(size: str, keys: str = "CPU, ADInplaceOrView, AutogradCPU") -> Guard:
    text = (
        f"check_tensor(L['x'], Tensor, DispatchKeySet({keys}), torch.float32, device=None, "
        f"requires_grad=False, size=[{size}], stride=[1])"
    )
    return guard("TENSOR_MATCH", "L['x']", text)


@pytest.mark.parametrize(
    ("size", "x", "expected", "special"),
    [
        ("4", torch.ones(1), ("shape", "x.size(0)", "4", "1"), "zero_one"),
        ("4", torch.ones(0), ("shape", "x.size(0)", "4", "0"), "zero_one"),
        ("1", torch.ones(4), ("shape", "x.size(0)", "1", "4"), "zero_one"),
        ("0", torch.ones(4), ("shape", "x.size(0)", "0", "4"), "zero_one"),
        ("4", torch.ones(5), ("shape", "x.size(0)", "4", "5"), None),
        ("4", torch.ones(8)[::2], ("stride", "x.stride(0)", "1", "2"), None),
        ("4", torch.tensor(1.0), ("rank", "x.dim()", "1", "0"), None),
    ],
)
def test_a_tensor(size: str, x: torch.Tensor, expected: Told, special: str | None) -> None:
    made = tensor(size)
    assert told(made, x=x) == [expected]
    assert [change.special for change in guard_changes(made, frame(x=x))] == [special]


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        (True, ("an ordinary tensor", "an inference tensor")),
        (False, ("CPU, ADInplaceOrView", OTHER_KEYS)),
    ],
)
def test_the_keys_of_a_tensor_are_read_in_the_mode_of_then(
    mode: bool, expected: tuple[str, str]
) -> None:
    with torch.inference_mode():
        x = torch.ones(4)
    made = tensor("4", keys="CPU, ADInplaceOrView")
    found = told(made, Remembered(inference_mode=mode), x=x)
    assert found == [("dispatch_keys", "x", *expected)]


def test_a_check_of_a_tensor_in_a_form_that_is_not_known_is_told_by_its_text() -> None:
    made = guard("TENSOR_MATCH", "L['x']", "check(L['x'])")
    assert told(made, x=torch.ones(4)) == [("other", "x", "check(x)", "no longer so")]


# All else.


@pytest.mark.parametrize(
    ("local", "holder"), [({"v": 1}, "argument"), ({"v": nn.ReLU()}, "module")]
)
def test_an_unknown_guard_tells_where_its_value_lives(local: Any, holder: str) -> None:
    source = "L['v'].inplace" if holder == "module" else "L['v']"
    (change,) = guard_changes(guard("NEW_MATCH", source, "new(x)"), frame(**local))
    assert (change.cause, change.holder) == ("other", holder)


def test_a_guard_without_a_text_is_told_by_its_value() -> None:
    assert told(guard("NEW_MATCH", "L['v']"), v=1) == [("other", "v", "", "no longer so")]


def test_a_guard_of_an_unknown_kind_is_told_by_its_text() -> None:
    made = guard("NEW_MATCH", "L['v']", "new(L['v']) at 0x7f3c  # x  # m.py:1 in f")
    assert told(made, v=1) == [("other", "v", "new(v)", "no longer so")]


@pytest.mark.parametrize(
    ("kind", "text", "name"),
    [
        ("LAMBDA_GUARD", "torch.top_saved_tensors_hooks ids == None", "saved tensors hooks"),
        ("LAMBDA_GUARD", "torch.compare_functorch_state([])", "functorch transforms"),
        ("DUAL_LEVEL_MATCH", "level == -1", "level of forward-mode differentiation"),
    ],
)
def test_what_surrounds_a_call(kind: str, text: str, name: str) -> None:
    assert list(guard_changes(guard(kind, "L", text), frame())) == [
        Change(
            cause="global_state",
            holder="process",
            source=name,
            expected="as at compile time",
            actual="another",
        )
    ]
