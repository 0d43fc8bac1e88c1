from __future__ import annotations

import pytest

from pytest_compilecheck.contract.policies.bucket import bucket
from pytest_compilecheck.contract.policies.field import parse_policies
from pytest_compilecheck.contract.policies.policy import Bucket, Policy

KNOWN = "static, auto, dynamic, marked, pow2, multiple(64)"


def parse(value: object) -> tuple[tuple[Policy, ...], list[str]]:
    faults: list[str] = []
    return parse_policies(value, faults.append), faults


def test_every_written_form() -> None:
    written = ["static", "auto", "dynamic", "marked", "pow2", "multiple(64)", bucket([4, 8])]
    found, faults = parse([*written, {"bucket": [16]}])
    assert faults == []
    assert [policy.kind for policy in found[:4]] == written[:4]
    assert [policy.bucket for policy in found[4:]] == [
        Bucket(),
        Bucket(sizes=64),
        Bucket(sizes=(4, 8)),
        Bucket(sizes=(16,)),
    ]
    assert parse(("static",)) == parse(["static"])
    assert parse(None) == parse([]) == ((), [])


@pytest.mark.parametrize(
    ("value", "faults"),
    [
        ("static", ["expected a list such as ['static', 'auto', 'pow2'], got 'static'"]),
        (["statik"], ["[0]: 'statik' is no policy (did you mean 'static'?)"]),
        (
            ["auto", 5],
            [f"[1]: 5 is no policy (known are {KNOWN}, or a bucket)"],
        ),
        (["static", "static"], ["'static' is there twice"]),
        (
            ["pow2", bucket(dims="S")],
            ["'pow2' is there twice: give each such bucket a label of its own"],
        ),
        (
            [bucket([8, 4], mask=""), {"bucket": "pow2", "dims": 5}],
            [
                "[0]: sizes: the sizes must rise, and 4 comes after one that is not below it",
                "[0]: mask: expected a name in quotes, got ''",
                "[1]['dims']: expected the name of a dim, or a list of names, got 5",
            ],
        ),
    ],
)
def test_all_faults_at_once(value: object, faults: list[str]) -> None:
    assert parse(value) == ((), faults)


def test_labels_tell_buckets_of_the_same_sizes_apart() -> None:
    found, faults = parse(["pow2", bucket(label="pow2 over S", dims="S")])
    assert ([policy.name for policy in found], faults) == (["pow2", "pow2 over S"], [])
