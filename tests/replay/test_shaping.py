from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import pytest
import torch
from replay.made import contract

from pytest_compilecheck import bucket, spec
from pytest_compilecheck.contract.model import Contract
from pytest_compilecheck.contract.policies.policy import Policy
from pytest_compilecheck.observe.running.input_maker import Ask
from pytest_compilecheck.replay.errors import PolicyError
from pytest_compilecheck.replay.shaping import Shaping, under_policy


def shaping(made: Contract, policy: str, ask: Ask | None = None) -> Shaping:
    (found,) = (each for each in made.policies if each.name == policy)
    return Shaping(made, found, ask, nullcontext)


def sizes(inputs: dict[str, Any]) -> dict[str, tuple[int, ...]]:
    return {name: tuple(value.shape) for name, value in inputs.items()}


def lengths(**fields: Any) -> Contract:
    """Of x in batch, length and width, of which the length changes."""
    given = {"shapes": {"x": "B S 3"}, "dims": {"B": 2, "S": [4, 5]}, "policies": ["pow2"]}
    return contract("x", "y", "z", "mask", **{**given, **fields})


def test_dims_that_change_are_padded_and_others_not() -> None:
    made = lengths(shapes={"x": "B S 3", "y": "S B", "z": "B 7"})
    shaped, (first, second) = shaping(made, "pow2"), made.trace.steps
    assert made.trace.changing_dims() == ("S",)
    assert sizes(shaped.inputs(first)) == {"x": (2, 4, 3), "y": (4, 2), "z": (2, 7)}
    assert sizes(shaped.inputs(second)) == {"x": (2, 8, 3), "y": (8, 2), "z": (2, 7)}
    assert shaped.rounded(second) == {"S": (5, 8)}
    assert shaped.elements(second, {}) == 48 + 16 + 14


def test_the_real_part_is_what_every_policy_gets() -> None:
    made = lengths(policies=["static", "pow2"])
    step = made.trace.steps[1]
    plain = shaping(made, "static").inputs(step)["x"]
    whole = shaping(made, "pow2").inputs(step)["x"]
    assert torch.equal(whole[:, :5], plain)
    assert whole[:, 5:].eq(0).all()


def test_named_dims_alone_are_rounded_where_some_are_named() -> None:
    made = lengths(dims={"B": [2, 3], "S": [4, 5]}, policies=[bucket("pow2", dims="B", label="b")])
    assert sizes(shaping(made, "b").inputs(made.trace.steps[1])) == {"x": (4, 5, 3)}


def test_inputs_inside_others_are_padded_at_their_positions() -> None:
    made = lengths(shapes={"x": ("S 2", {"k": "B S"})})
    first, inner = shaping(made, "pow2").inputs(made.trace.steps[1])["x"]
    assert (first.shape, inner["k"].shape) == ((8, 2), (2, 8))


def test_each_input_has_its_own_padding_value() -> None:
    ids = {"ids": spec("B S", dtype="int64", high=9), "x": "B S 3"}
    made = contract(
        "ids",
        "x",
        shapes=ids,
        dims={"B": 1, "S": [4, 5]},
        policies=[bucket("pow2", pad={"ids": -1, "x": 0.5})],
    )
    inputs = shaping(made, "pow2").inputs(made.trace.steps[1])
    assert inputs["ids"][0, 5:].tolist() == [-1, -1, -1]
    assert inputs["x"][0, 5:].eq(0.5).all()


def test_a_mask_lies_over_the_named_dims_up_to_the_padded_one() -> None:
    made = lengths(policies=[bucket("pow2", mask="mask")])
    mask = shaping(made, "pow2").inputs(made.trace.steps[1])["mask"]
    assert mask.tolist() == [[1, 1, 1, 1, 1, 0, 0, 0]] * 2
    assert shaping(made, "pow2").inputs(made.trace.steps[0])["mask"].eq(1).all()


def test_a_rule_makes_the_inputs_from_the_plain_ones() -> None:
    def rule(inputs: dict[str, Any], rounded: dict[str, int]) -> dict[str, Any]:
        x = inputs["x"]
        return {"x": torch.nn.functional.pad(x, (0, 0, rounded["S"] - x.shape[1], 0))}

    made = lengths(policies=[bucket([4, 6], rule=rule)])
    shaped, step = shaping(made, "buckets(4, 6)"), made.trace.steps[1]
    inputs = shaped.inputs(step)
    assert torch.equal(inputs["x"][:, 1:], shaped.unshaped(step)["x"])
    assert shaped.elements(step, inputs) == 2 * 6 * 3


def test_a_rule_that_gives_no_inputs_is_told() -> None:
    made = lengths(policies=[bucket("pow2", rule=lambda inputs, rounded: None)])  # type: ignore[arg-type, return-value]
    with pytest.raises(PolicyError, match="the rule gives a NoneType, and no dict"):
        shaping(made, "pow2").inputs(made.trace.steps[0])


def test_changing_dims_are_marked() -> None:
    made = lengths(policies=["marked"])
    x = shaping(made, "marked").inputs(made.trace.steps[0])["x"]
    assert x._dynamo_dynamic_indices == {1}


@pytest.mark.parametrize(("policy", "what"), [("pow2", "padded"), ("marked", "marked")])
def test_what_a_plugin_makes_of_other_sizes_is_refused(policy: str, what: str) -> None:
    made = lengths(policies=[policy])
    shaped = shaping(made, policy, lambda name, spec, make: [1, 2])
    with pytest.raises(PolicyError, match=f"the input 'x' cannot be {what}: a plugin makes it"):
        shaped.inputs(made.trace.steps[1])


def test_a_tensor_of_a_plugin_is_padded() -> None:
    made = lengths()
    shaped = shaping(made, "pow2", lambda name, spec, make: torch.ones(spec.shape))
    assert shaped.inputs(made.trace.steps[1])["x"].sum() == 2 * 5 * 3


@pytest.mark.parametrize(
    ("policy", "dynamic"),
    [("static", False), ("auto", None), ("dynamic", True), ("marked", None), ("pow2", False)],
)
def test_each_kind_has_its_dynamic(policy: str, dynamic: bool | None) -> None:
    made = lengths(policies=[policy])
    found: Policy = made.policies[0]
    assert under_policy(made, found).torch_options.get("dynamic") is dynamic
