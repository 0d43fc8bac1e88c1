"""What is remembered of the time when a graph was made."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import torch
from observe.guards.made import guard, no_code, scope

from pytest_compilecheck.observe.guards.memory import Assumed, assumed
from pytest_compilecheck.observe.guards.process import process_state
from pytest_compilecheck.observe.guards.tree import Guard, Tree


def remembered(*guards: Guard, dicts: tuple[str, ...] = (), **local: Any) -> Assumed:
    tree = Tree(guards, (), dicts)
    return assumed(no_code.__code__, tree, scope(**local), process_state())


def tensor(source: str, size: str) -> Guard:
    text = (
        f"check_tensor({source}, Tensor, DispatchKeySet(CPU), torch.float32, device=None, "
        f"requires_grad=False, size=[{size}], stride=[1])"
    )
    return guard("TENSOR_MATCH", source, text)


def test_types_and_objects_are_remembered_in_words() -> None:
    found = remembered(
        guard("TYPE_MATCH", "L['n']", "type"),
        guard("ID_MATCH", "L['f']", "id"),
        guard("ID_MATCH", "L['gone']", "id"),
        guard("EQUALS_MATCH", "L['m']", "L['m'] == 1"),
        n=2,
        f=len,
        m=1,
    )
    assert found.remembered.labels == {"L['n']": "int", "L['f']": "function len"}


def test_keys_of_dicts_whose_order_counts_are_remembered() -> None:
    table = OrderedDict([("b", 1), (2, 3)])
    found = remembered(dicts=("L['d']", "L['gone']"), d=table)
    assert found.remembered.keys == {"L['d']": ("'b'", "2")}


def test_sizes_are_those_of_arguments_and_of_tensors_with_a_symbol() -> None:
    held = [torch.ones(3), torch.ones(5, 2)]
    found = remembered(
        tensor("L['x']", "4"),
        tensor("L['h'][0]", "3"),
        tensor("L['d']['k'][0]", "3"),
        tensor("L['d']['k'][1]", "None, 2"),
        guard("TENSOR_MATCH", "L['x']", "a text of another form"),
        x=torch.ones(4),
        h=held,
        d={"k": held},
    )
    assert found.dims == {"L['x']": (4,), "L['h'][0]": (3,), "L['d']['k'][1]": (None, 2)}
    assert found.remembered.sizes == {
        "L['x']": (4,),
        "L['h'][0]": (3,),
        "L['d']['k'][1]": (5, 2),
    }


def test_numbers_that_are_no_constants_are_symbols() -> None:
    found = remembered(
        guard("TYPE_MATCH", "L['n']", "type"),
        guard("TYPE_MATCH", "L['fixed']", "type"),
        guard("EQUALS_MATCH", "L['fixed']", "L['fixed'] == 2"),
        guard("TYPE_MATCH", "L['text']", "type"),
        n=1.5,
        fixed=2,
        text="a",
    )
    assert found.symbolic_numbers == {"L['n']"}


def test_a_symbol_of_which_the_code_made_a_number_is_none() -> None:
    """Seen with torch 2.13: the guard on it is among those that relate symbols."""
    texts = "2 <= L['x'].size()[1]", "L['n'] == 6  # for i in range(n)", "L['m'] == 2*L['k']"
    numbers = {"n": 6, "m": 4, "k": 2}
    types = [guard("TYPE_MATCH", f"L['{name}']", "type") for name in numbers]
    relations = (guard("LAMBDA_GUARD", "L", *texts),)
    tree = Tree(tuple(types), relations)
    found = assumed(no_code.__code__, tree, scope(**numbers), process_state())
    assert found.symbolic_numbers == {"L['m']", "L['k']"}


def test_the_modes_in_force_are_remembered() -> None:
    assert remembered().modes["grad mode"] == "on"
    assert not remembered().remembered.inference_mode
    with torch.inference_mode():
        assert remembered().modes["inference mode"] == "on"
        assert remembered().remembered.inference_mode


def test_a_graph_is_known_by_its_code() -> None:
    assert remembered().code is no_code.__code__
