from __future__ import annotations

from typing import Any

import pytest

from pytest_compilecheck.contract.faults import ContractError, Place
from pytest_compilecheck.contract.policies.bucket import bucket
from pytest_compilecheck.contract.read import read_contract

TRACE: dict[str, object] = {"shapes": {"x": "B S"}, "dims": {"B": 2, "S": [3, 4]}}
ONE_STEP: dict[str, object] = {"shapes": {"x": "B S"}, "dims": {"B": 2, "S": 3}}


def faults(*policies: object, **fields: Any) -> list[str]:
    """What is wrong with a contract on `test_f(x, mask=None, *, k)`, where `k` is a fixture."""
    given = {**TRACE, "policies": list(policies), **fields}
    try:
        read_contract(
            [(given, Place("test_a.py", 1, "@compile_contract"))],
            subject="test_f",
            arguments=("x", "mask", "k"),
            fixtures={"k"},
            compile_keywords=("dynamic",),
            torch_version="2.13.0",
            optional={"mask"},
        )
    except ContractError as error:
        return [fault.message for fault in error.faults]
    return []


def test_what_can_be_compared() -> None:
    two = bucket([8, 16], dims=["S"], pad={"x": 1}, mask="mask")
    assert faults("static", "auto", "dynamic", "marked", "pow2", two) == []
    assert faults("static", two, preferred_policy="buckets(8, 16)", policy_margin=0) == []
    assert faults("static", **ONE_STEP) == []
    assert faults("static", "pow2", dynamic=None) == []
    assert faults(bucket(dims=["B", "S"])) == []
    nested = {"x": ({"a": "B S"}, "B S")}
    assert faults(bucket(pad={"x": 1, "x[1]": 2}), shapes=nested) == []
    assert len(faults(bucket(pad={"x[2]": 2}), shapes=nested)) == 1


@pytest.mark.parametrize(
    ("policies", "preferred", "fault"),
    [
        (
            [],
            "auto",
            "has nothing to be compared with: add e.g. policies=['static', 'auto']",
        ),
        (["auto"], "auto", "has nothing to be compared with: name others in policies"),
        (["auto", "pow2"], "pow", "'pow' is none of the policies (did you mean 'pow2'?)"),
        (["auto", "pow2"], "static", "'static' is none of the policies (they are 'auto', 'pow2')"),
    ],
)
def test_what_cannot_be_preferred(policies: list[object], preferred: str, fault: str) -> None:
    assert faults(*policies, preferred_policy=preferred) == [f"preferred_policy: {fault}"]


def test_one_step_is_nothing_to_compare() -> None:
    assert faults("static", "auto", preferred_policy="auto", **ONE_STEP) == [
        (
            "preferred_policy: the trace has one step, so there is nothing to compare:"
            " give a dim several sizes"
        )
    ]


def test_watch_only_compiles_nothing() -> None:
    assert faults("static", watch_only=True) == [
        "policies: set how the code is compiled, and watch_only compiles nothing: leave one out"
    ]


@pytest.mark.parametrize("dynamic", [True, False])
def test_who_says_what_is_dynamic(dynamic: bool) -> None:
    assert faults("static", "auto", dynamic=dynamic) == [
        "dynamic: is set by each of the policies: leave one of them out"
    ]


@pytest.mark.parametrize("trace", [ONE_STEP, {"shapes": {"x": [(2, 3), (2, 4)]}, "dims": None}])
def test_named_dims_must_change(trace: dict[str, object]) -> None:
    cure = (
        "is for named dims that change, and in this trace none does: name them in shapes, as"
        " 'B S', and give one of them several sizes in dims"
    )
    assert faults("static", "marked", "pow2", **trace) == [
        f"policies[1]: 'marked' {cure}",
        f"policies[2]: 'pow2' {cure}",
    ]


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"dims": "T"}, "['dims']: 'T' is no dim of the trace: it takes names from dims"),
        (
            {"dims": "B"},
            "['dims']: none of them changes over the trace, only 'S' does: name what changes",
        ),
        (
            {"pad": {"y": 1}},
            "['pad']: 'y' is padded by no policy: it takes names of tensors with named dims",
        ),
        (
            {"mask": "x"},
            "['mask']: 'x' is an input of the trace too: leave it out of one of them",
        ),
        ({"mask": "maks"}, "['mask']: test_f has no parameter 'maks' (did you mean 'mask'?)"),
        ({"mask": "k"}, "['mask']: 'k' is given already, in each step the same: leave out either"),
    ],
)
def test_what_a_bucket_asks_of_the_trace(fields: dict[str, Any], fault: str) -> None:
    assert faults("static", bucket(**fields)) == [f"policies[1]{fault}"]


def test_of_a_faulty_trace_and_of_faulty_policies_no_consequences_are_told() -> None:
    (fault,) = faults("marked", dims={"B": 2})
    assert "'S'" in fault
    (fault,) = faults("markd", preferred_policy="marked")
    assert fault == "policies[0]: 'markd' is no policy (did you mean 'marked'?)"
