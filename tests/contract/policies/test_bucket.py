from __future__ import annotations

from typing import Any

import pytest

from pytest_compilecheck.contract.policies.bucket import bucket, bucket_of
from pytest_compilecheck.contract.policies.policy import Bucket

FORMS = "expected 'pow2', 'multiple(64)' or a list of sizes such as [128, 256]"
MULTIPLE = "expected a multiple of a whole number, 2 or more"


def pad_left(inputs: dict[str, Any], sizes: dict[str, int]) -> dict[str, Any]:
    return inputs | sizes


def test_all_that_a_bucket_may_say() -> None:
    made = bucket([128, 256], dims="S", pad={"x": -1}, mask="mask", label="two")
    assert made == Bucket(sizes=(128, 256), dims=("S",), pad={"x": -1}, mask="mask", label="two")
    assert bucket() == Bucket()
    assert bucket("multiple(64)", dims=["B", "S"], rule=pad_left) == Bucket(
        sizes=64, dims=("B", "S"), rule=pad_left
    )


@pytest.mark.parametrize(
    ("fields", "faults"),
    [
        (
            {"sizes": "pow3"},
            [f"sizes: {FORMS}, got 'pow3' (did you mean 'pow2'?)"],
        ),
        (
            {"sizes": 64},
            [f"sizes: {FORMS}, got 64: a number alone could be either, 'multiple(64)' or [64]"],
        ),
        (
            {"sizes": "multiple(1)"},
            ["sizes: expected a multiple of a whole number, 2 or more, got 'multiple(1)'"],
        ),
        (
            {"sizes": f"multiple({'9' * 5000})"},
            [f"sizes: {MULTIPLE}, got 'multiple({'9' * 47}..."],
        ),
        ({"sizes": []}, ["sizes: the list is empty: give the sizes that inputs are padded to"]),
        (
            {"sizes": [0, True, 4]},
            [
                "sizes[0]: expected a whole number, 1 or more, got 0",
                "sizes[1]: expected a whole number, 1 or more, got True",
            ],
        ),
        (
            {"sizes": [4, 8, 8]},
            ["sizes: the sizes must rise, and 8 comes after one that is not below it"],
        ),
        ({"dims": 5}, ["dims: expected the name of a dim, or a list of names, got 5"]),
        (
            {"pad": {"x": "0", "y": float("nan"), "z": True}},
            [
                "pad['x']: expected a number, got '0'",
                "pad['y']: expected a number, got nan",
                "pad['z']: expected a number, got True",
            ],
        ),
        ({"pad": 1}, ["pad: expected a dict of input names to numbers such as {'ids': 1}, got 1"]),
        (
            {"mask": "", "label": 5},
            [
                "mask: expected a name in quotes, got ''",
                "label: expected a name in quotes, got 5",
            ],
        ),
        ({"rule": 5}, ["rule: expected a function, got 5"]),
        (
            {"rule": pad_left, "mask": "mask"},
            ["rule: makes the padded inputs itself: leave out pad and mask, or the rule"],
        ),
    ],
)
def test_what_is_wrong_is_noted_and_raises_nothing(
    fields: dict[str, Any], faults: list[str]
) -> None:
    assert list(bucket(**fields).faults) == faults


def of(value: dict[object, object]) -> tuple[Bucket, list[str]]:
    faults: list[str] = []
    return bucket_of(value, faults.append), faults


def test_a_mapping_says_the_same() -> None:
    beside = {"dims": "S", "pad": {"x": 1.5}, "mask": "m", "label": "a"}
    written = {"bucket": {"multiple": 64}, **beside}
    made = bucket("multiple(64)", dims="S", pad={"x": 1.5}, mask="m", label="a")
    assert of(written) == (made, [])
    assert of({"bucket": [128, 256]}) == (bucket([128, 256]), [])


def test_faults_of_a_mapping_say_in_which_part() -> None:
    found = of({"bucket": {"multiple": 1}, "pad": {"x": None}, "dim": "S", "rule": "m:f"})[1]
    assert found == [
        "'dim' is no key of a bucket (did you mean 'dims'?)",
        "'rule' is a function: write bucket(rule=...) in Python",
        "['bucket']['multiple']: expected a multiple of a whole number, 2 or more, got 1",
        "['pad']['x']: expected a number, got None",
    ]
    (missing,) = of({"dims": "S"})[1]
    assert missing.startswith("expected the key 'bucket' with 'pow2', 'multiple(64)'")
