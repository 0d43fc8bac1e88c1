"""A contract of a file as pytest takes it: before the target is known, and when it is."""

from __future__ import annotations

import pytest
from contract.file.loading import load_one, told

from pytest_compilecheck.contract.faults import ContractError
from pytest_compilecheck.contract.file.values import FileContract

LINES = """
inputs: {x: "4 8", mask: "4"}
keywords: {use_cache: false}
max_graphs: {"<2.9": 1, ">=2.9": 2}
"""


def faults(contract: FileContract, *parameters: str, **others: object) -> list[str]:
    with pytest.raises(ContractError) as caught:
        contract.contract(parameters=parameters, **others)  # type: ignore[arg-type]
    return told(list(caught.value.faults))


def test_before_the_target_is_known() -> None:
    made = load_one(LINES).contract()
    assert list(made.trace.steps[0].inputs) == ["x", "mask"]
    assert made.max_graphs.to_plain() == {"<2.9": 1, ">=2.9": 2}


@pytest.mark.parametrize(("release", "bound"), [("2.8.0", 1), ("2.13.0+cpu", 2)])
def test_bounds_are_those_of_the_release(release: str, bound: int) -> None:
    assert load_one(LINES).contract(torch_version=release).max_graphs.value == bound


def test_a_map_without_the_release_is_a_fault_at_its_place() -> None:
    contract = load_one("max_graphs: {'<2.9': 1}")
    with pytest.raises(ContractError) as caught:
        contract.contract(torch_version="2.13.0")
    assert told(list(caught.value.faults)) == [
        "5:18: max_graphs: {'<2.9': 1} has no entry for torch 2.13.0: add one that matches"
    ]


def test_parameters_of_the_target() -> None:
    contract = load_one(LINES)
    contract.contract(parameters=("x", "mask", "use_cache"))
    contract.contract(parameters=("x", "mask", "use_cache", "scale"), optional={"scale"})
    assert faults(contract, "x", "masks", "use_cache") == [
        "5:24: inputs: m:f has no parameter 'mask' (did you mean 'masks'?)"
    ]
    assert faults(contract, "x", "mask", "use_cache", "scale") == [
        "4:5: nothing makes the argument 'scale' of m:f: add it to inputs, values or keywords"
    ]


def test_values_that_the_target_does_not_take() -> None:
    assert faults(load_one("values: {n: 1, k: 2}"), "k") == [
        "5:14: values: m:f has no parameter 'n' (it takes k)"
    ]
