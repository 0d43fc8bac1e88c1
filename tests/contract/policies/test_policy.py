from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_compilecheck.contract.policies.policy import Bucket, Policy, Sizes

SIZES = st.one_of(
    st.just("pow2"),
    st.integers(2, 300),
    st.lists(st.integers(1, 600), min_size=1, unique=True).map(lambda each: tuple(sorted(each))),
)


@given(SIZES, st.integers(0, 1000))
def test_a_size_is_never_rounded_down_and_stays_once_it_is_round(sizes: Sizes, size: int) -> None:
    bucket = Bucket(sizes=sizes)
    rounded = bucket.rounded(size)
    assert rounded >= size
    assert bucket.rounded(rounded) == rounded


@pytest.mark.parametrize(
    ("sizes", "rounded"),
    [
        ("pow2", [(0, 0), (1, 1), (2, 2), (3, 4), (128, 128), (129, 256)]),
        (64, [(0, 0), (1, 64), (64, 64), (65, 128)]),
        ((128, 256), [(1, 128), (128, 128), (129, 256), (257, 257)]),
    ],
)
def test_what_sizes_are_rounded_to(sizes: Sizes, rounded: list[tuple[int, int]]) -> None:
    assert [(size, Bucket(sizes=sizes).rounded(size)) for size, _ in rounded] == rounded


@pytest.mark.parametrize(
    ("policy", "name"),
    [
        (Policy(kind="static"), "static"),
        (Policy(kind="bucket", bucket=Bucket()), "pow2"),
        (Policy(kind="bucket", bucket=Bucket(sizes=64)), "multiple(64)"),
        (Policy(kind="bucket", bucket=Bucket(sizes=(128, 256))), "buckets(128, 256)"),
        (Policy(kind="bucket", bucket=Bucket(label="padded left")), "padded left"),
    ],
)
def test_what_reports_call_it(policy: Policy, name: str) -> None:
    assert policy.name == name
    assert policy.to_dict()["name"] == name
