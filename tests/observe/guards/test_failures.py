"""Which of the guards that do not hold are told, and in which order."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from observe.guards.made import frame, guard
from torch import nn

from pytest_compilecheck.observe.guards.failures import Found, failures
from pytest_compilecheck.observe.guards.frame import Remembered
from pytest_compilecheck.observe.guards.process import process_state
from pytest_compilecheck.observe.guards.tensor import OTHER_KEYS
from pytest_compilecheck.observe.guards.tree import Guard, Tree
from pytest_compilecheck.observe.values.recompile import Change


def equals(source: str, value: object, holds: bool = False) -> Guard:
    return guard("EQUALS_MATCH", source, f"{source} == {value!r}", holds=lambda _: holds)


def tensor(source: str, size: str, keys: str = "CPU, AutogradCPU") -> Guard:
    text = (
        f"check_tensor({source}, Tensor, DispatchKeySet({keys}), torch.float32, device=None, "
        f"requires_grad=False, size=[{size}], stride=[1])"
    )
    return guard("TENSOR_MATCH", source, text)


def told(
    *guards: Guard,
    relations: tuple[Guard, ...] = (),
    attributes: tuple[str, ...] = (),
    modes: dict[str, str] | None = None,
    **local: Any,
) -> list[tuple[str, str]]:
    tree = Tree(guards, relations)
    return [
        (found.change.cause, found.change.source)
        for found in failures(tree, attributes, frame(**local), modes)
    ]


def test_all_that_fails_is_told_in_torchs_order() -> None:
    guards = equals("L['n']", 1), equals("L['flag']", True), tensor("L['x']", "3")
    assert told(*guards, n=2, flag=False, x=torch.ones(4)) == [
        ("python_value", "n"),
        ("python_value", "flag"),
        ("shape", "x.size(0)"),
    ]


def test_what_holds_is_not_told() -> None:
    guards = equals("L['n']", 2, holds=True), Guard("L['n']", object())  # nor what cannot be asked
    assert told(*guards, n=2) == []


class Refuses:
    def __eq__(self, other: object) -> bool:
        raise RuntimeError("not comparable")

    __hash__ = None  # type: ignore[assignment]


def test_what_cannot_be_compared_is_not_told() -> None:
    made = guard("EQUALS_MATCH", "L['v']", "L['v'] == 1", holds=lambda value: value == 1)
    assert told(made, v=Refuses()) == []


def test_the_same_is_told_once() -> None:
    guards = (
        guard("ID_MATCH", "L['v']", "___check_obj_id(L['v'], 7)"),
        equals("L['v']", "a"),
        guard("NEW_MATCH", "L['v']", "anything"),
        equals("L['n']", 1),
    )
    assert told(*guards, v="b", n=2) == [("python_value", "v"), ("python_value", "n")]


def test_that_it_is_another_object_says_no_more_than_what_is_other_in_it() -> None:
    length = guard("LENGTH_CHECK", "L['v']", "len(L['v']) == 3")
    keys = guard("MAPPING_KEYS_MATCH", "L['v']", "keys")
    another = guard("ID_MATCH", "L['v']", "___check_obj_id(L['v'], 7)")
    assert told(keys, another, length, v={"a": 1}) == [
        ("dict_keys", "v"),
        ("container_length", "len(v)"),
    ]


def test_the_length_of_a_dict_whose_items_are_guarded_in_their_order_comes_first() -> None:
    tree = Tree((equals("L['d']['a']", 1),), (), ("L['d']", "L['gone']", "L['e']"))
    before = Remembered(keys={"L['d']": ("'a'",), "L['e']": ("'b'",)})
    local = {"d": {"a": 2, "b": 3}, "e": {"b": 1}}
    found = list(failures(tree, (), frame(before, **local), None))
    assert [(each.source, each.change.source) for each in found] == [
        ("L['d']", "len(d)"),
        ("L['d']['a']", "d['a']"),
    ]


@pytest.mark.parametrize(
    ("above", "below", "local"),
    [
        ("L['o']", "L['o'].n", {"o": nn.Module()}),
        ("L['o']", "L['o'][0]['k'].n", {"o": [1]}),
        ("L['o']", "type(L['o']).__dict__['n']", {"o": nn.Module()}),
    ],
)
def test_what_is_beneath_a_value_of_another_type_is_not_told(
    above: str, below: str, local: dict[str, Any]
) -> None:
    guards = guard("TYPE_MATCH", above, "___check_type_id(x, 7)"), equals(below, 1)
    assert told(*guards, **local) == [("python_type", "o")]


def test_a_name_that_begins_with_that_of_another_is_not_beneath_it() -> None:
    guards = guard("TYPE_MATCH", "L['o'].a", "___check_type_id(x, 7)"), equals("L['o'].ab", 1)
    module = nn.Module()
    module.a, module.ab = 2.5, 2
    assert told(*guards, o=module) == [("python_type", "o.a"), ("module_state", "o.ab")]


def test_a_guard_on_the_whole_frame_ends_no_path() -> None:
    guards = guard("NEW_MATCH", "L", "anything"), equals("L['n']", 1)
    assert told(*guards, n=2) == [("other", "L"), ("python_value", "n")]


def test_relations_are_asked_last_and_not_of_what_changed_its_type() -> None:
    size = guard("LAMBDA_GUARD", "L", "2 <= L['x'].size()[0]", "2 <= L['y'].size()[0]")
    guards = tensor("L['x']", "3"), equals("L['n']", 1)
    found = told(*guards, relations=(size,), x=None, y=torch.ones(1), n=2)
    assert found == [("python_type", "x"), ("python_value", "n"), ("shape", "y.size(0)")]


def test_relations_of_what_is_beneath_a_value_of_another_type_are_not_asked() -> None:
    another = guard("TYPE_MATCH", "L['o']", "___check_type_id(x, 7)")
    number = guard("LAMBDA_GUARD", "L", "2 <= L['o'].n")
    module = nn.Module()
    module.n = 1
    assert told(another, relations=(number,), o=module) == [("python_type", "o")]


def test_relations_among_the_other_guards_are_asked_last_too() -> None:
    same = guard("NO_TENSOR_ALIASING", "L['x']", "check_no_aliasing(L['x'], L['y'])")
    x = torch.ones(2)
    found = told(same, equals("L['n']", 1), x=x, y=x, n=2)
    assert found == [("python_value", "n"), ("alias", "x, y")]


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        (("L['o'].n",), [("module_state", "o.n")]),
        (("L['o'].training",), []),
        (("L['o'].training", "L['o'].n"), [("module_state", "o.n")]),
    ],
)
def test_what_must_be_there_and_is_not(
    attributes: tuple[str, ...], expected: list[tuple[str, str]]
) -> None:
    assert told(attributes=attributes, o=nn.Module()) == expected


# Modes.

STATE = guard("GLOBAL_STATE", "L", "___check_global_state() changed: grad_mode")
NOW = dict(process_state())


def test_modes_that_are_other_are_told_last() -> None:
    before = {**NOW, "grad mode": "off", "default dtype": "torch.float64"}
    assert told(STATE, equals("L['n']", 1), modes=before, n=2) == [
        ("python_value", "n"),
        ("global_state", "grad mode"),
        ("global_state", "default dtype"),
    ]


@pytest.mark.parametrize(
    ("made", "name"),
    [
        (STATE, "grad_mode"),
        (guard("GLOBAL_STATE", "L", "___check_global_state()"), "a mode of torch"),
        (guard("TORCH_FUNCTION_MODE_STACK", "L", "check()"), "torch function modes"),
        (guard("DEFAULT_DEVICE", "L", "utils_device.CURRENT_DEVICE == None"), "default device"),
        (equals("___get_torch_function_mode_stack_at(0)", 1), "a mode of torch"),
    ],
)
@pytest.mark.parametrize("modes", [None, NOW], ids=["unknown", "the same"])
def test_a_mode_whose_values_are_not_known(
    made: Guard, name: str, modes: dict[str, str] | None
) -> None:
    (found,) = failures(Tree((made,), ()), (), frame(), modes)
    assert found == Found(
        "",
        Change(cause="global_state", holder="process", source=name, expected="", actual=""),
    )


def test_a_mode_is_its_own_name() -> None:
    before = {**NOW, "grad mode": "off"}
    (found,) = failures(Tree((STATE,), ()), (), frame(), before)
    assert (found.source, found.change.source) == ("grad mode", "grad mode")


@pytest.mark.parametrize("state", [(STATE,), ()], ids=["other mode", "same mode"])
def test_dispatch_keys_that_a_mode_adds_are_not_told_of_the_tensor(
    state: tuple[Guard, ...],
) -> None:
    before = {**NOW, "autocast on cpu": "on, torch.float16"}
    local = {"x": torch.ones(3)}
    tree = Tree((*state, tensor("L['x']", "3")), ())
    found = list(failures(tree, (), frame(**local), before))
    if state:
        assert [each.change.source for each in found] == ["autocast on cpu"]
    else:
        assert [each.change.actual for each in found] == [OTHER_KEYS]


# Parameters.


def test_parameters_and_buffers_are_known() -> None:
    module = nn.Module()
    module.w = nn.Parameter(torch.ones(2))
    module.register_buffer("b", torch.ones(2))
    module.t = torch.ones(2)
    sources = ["L['m']._parameters['w']", "L['m']._buffers['b']", "L['m'].t", "L['p']"]
    size = guard("LAMBDA_GUARD", "L", "3 <= L['q'].size()[0]", "3 <= L['y'].size()[0]")
    local = {"m": module, "p": nn.Parameter(torch.ones(2)), "y": torch.ones(2)}
    local["q"] = local["p"]
    tree = Tree(tuple(tensor(source, "3") for source in sources), (size,))
    found = failures(tree, (), frame(**local), None)
    assert [(each.change.source, each.parameter) for each in found] == [
        ("m.w", True),
        ("m.b.size(0)", True),
        ("m.t.size(0)", False),
        ("p", True),
        ("q.size(0)", True),
        ("y.size(0)", False),
    ]


def test_relations_are_asked_of_the_locals() -> None:
    holds = guard("LAMBDA_GUARD", "L", "3 <= L['n']", holds=lambda given: given == {"n": 2})
    assert list(failures(Tree((holds,), (holds,)), (), frame(n=2), None)) == []
    broken = guard("LAMBDA_GUARD", "L", "3 <= L['n']")
    (found,) = failures(Tree((), (broken,)), (), frame(n=2), None)
    assert (found.source, found.change.source, found.parameter) == ("L['n']", "n", False)


def test_what_must_be_there_beneath_a_value_of_another_type_is_not_told() -> None:
    another = guard("TYPE_MATCH", "L['o']", "___check_type_id(x, 7)")
    assert told(another, attributes=("L['o'].n",), o=nn.Module()) == [("python_type", "o")]


def test_what_is_gone_has_torchs_name() -> None:
    (found,) = failures(Tree((), ()), ("L['o'].n",), frame(o=nn.Module()), None)
    assert found.source == "L['o'].n"
    assert (found.change.expected, found.change.actual) == ("set", "not set")


def test_what_is_gone_is_no_parameter() -> None:
    made = equals("L['m']._parameters['w']", 1)
    (found,) = failures(Tree((made,), ()), (), frame(m=nn.Module()), None)
    assert (found.change.source, found.parameter) == ("m.w", False)
