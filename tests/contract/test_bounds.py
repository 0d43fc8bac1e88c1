from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_compilecheck.contract.bounds import (
    Bound,
    BoundError,
    parse_bound,
    parse_extra_bounds,
)

RELEASES = st.tuples(st.integers(0, 5), st.integers(0, 40), st.integers(0, 3))
SUFFIXES = st.sampled_from(["", "+cpu", "+cu128", ".dev20260101", ".dev20260101+cpu", "a0+git12ab"])


def parse(value: object, **limits: object) -> tuple[Bound, list[str]]:
    faults: list[str] = []
    return parse_bound(value, faults.append, **limits), faults  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [0, 3, None])
def test_numbers_and_no_bound(value: int | None) -> None:
    bound, faults = parse(value)
    assert (bound.at("2.13.0"), faults) == (value, [])


@given(release=RELEASES, edge=RELEASES, suffix=SUFFIXES)
def test_a_map_goes_by_the_release_segment(
    release: tuple[int, ...], edge: tuple[int, ...], suffix: str
) -> None:
    text, at = ".".join(map(str, edge)), ".".join(map(str, release))
    bound, faults = parse({f"<{text}": 2, f">={text}": 0})
    assert faults == []
    assert bound.at(at + suffix) == (2 if release < edge else 0)


def test_a_nightly_counts_as_its_release() -> None:
    bound, _ = parse({"<2.14": 2, "==2.14.0": 1, ">2.14.0": 0})
    assert bound.at("2.14.0.dev20260101+cpu") == 1


def test_no_entry_for_a_release() -> None:
    bound, _ = parse({"<2.14": 2})
    with pytest.raises(BoundError) as raised:
        bound.at("2.15.0+cpu")
    assert str(raised.value) == (
        "{'<2.14': 2} has no entry for torch 2.15.0+cpu: add one that matches"
    )


def test_two_entries_for_a_release() -> None:
    bound = Bound((("<2.14", 2), (">=2.12", 0), (">=2.15", 1)))
    with pytest.raises(BoundError) as raised:
        bound.at("2.13.0")
    assert str(raised.value) == (
        "'<2.14' and '>=2.12' of {'<2.14': 2, '>=2.12': 0, '>=2.15': 1} match torch 2.13.0: "
        "narrow them so that one is left"
    )


@pytest.mark.parametrize(
    ("versions", "both", "release"),
    [
        ({">=2.8": 1, ">=2.12": 0}, ">=2.8 >=2.12", "2.12"),
        ({"<=2.14": 2, ">=2.14": 0}, "<=2.14 >=2.14", "2.14"),
        ({"<2.14": 2, ">2.13": 0}, "<2.14 >2.13", "2.13.0.1"),
        ({"==2.8.*": 2, ">=2.8.3": 0}, "==2.8.* >=2.8.3", "2.8.3"),
        ({"!=2.8": 2, "==2.9": 0}, "!=2.8 ==2.9", "2.9"),
    ],
)
def test_two_entries_for_any_release_are_told_at_once(
    versions: dict[str, int], both: str, release: str
) -> None:
    bound, faults = parse(versions)
    first, second = both.split()
    assert bound == Bound()
    both_match = f"{first!r} and {second!r} of {versions} match torch {release}"
    assert faults == [f"{both_match}: narrow them so that one is left"]


@pytest.mark.parametrize(
    "versions",
    [
        {"<2.14": 2, ">=2.14": 0},
        {"<=2.8": 2, ">=2.9": 0},
        {"~=2.8.1": 2, ">=2.9": 1, "<2.8.1": 3},
        {"==2.8.*": 2, "!=2.8.*": 0},
        {"<2.9": 1, ">=2.9,<2.12": 2, ">=2.12": 3},
        {"===nightly": 1, ">=2": 2},
    ],
)
def test_a_map_with_one_entry_for_each_release_has_no_fault(versions: dict[str, int]) -> None:
    assert parse(versions) == (Bound(tuple(versions.items())), [])


@pytest.mark.parametrize("value", [-1, True, False, "1", 1.0, math.nan, [1]])
def test_what_is_no_count(value: object) -> None:
    _, faults = parse(value)
    assert len(faults) == 1
    assert faults[0].startswith("expected a whole number, 0 or more (None for no bound), got ")


@pytest.mark.parametrize("value", [-0.5, 1.5, 2, True, math.nan, math.inf, "0.5"])
def test_what_is_no_share(value: object) -> None:
    _, faults = parse(value, whole=False, high=1)
    assert len(faults) == 1
    assert faults[0].startswith("expected a number from 0 to 1 (None for no bound), got ")


@given(st.floats(0, 1))
def test_every_share_is_kept(value: float) -> None:
    bound, faults = parse(value, whole=False, high=1)
    assert (bound.value, faults) == (value, [])


@given(st.floats(max_value=0, exclude_max=True) | st.just(math.nan) | st.just(math.inf))
def test_seconds_are_finite_and_not_negative(value: float) -> None:
    assert len(parse(value, whole=False)[1]) == 1


def test_every_fault_of_a_map_is_reported() -> None:
    _, faults = parse({"2.14": 1, "": 1, 3: 1, ">=2.12": -1, "<2": None})
    assert faults == [
        "'2.14' is no version specifier: write e.g. '<2.14' or '>=2.12,<2.14'",
        "'' is no version specifier: write e.g. '<2.14' or '>=2.12,<2.14'",
        "3 is no version specifier: write e.g. '<2.14' or '>=2.12,<2.14'",
        "['>=2.12']: expected a whole number, 0 or more, got -1",
        "['<2']: expected a whole number, 0 or more, got None",
    ]


def test_an_empty_map() -> None:
    assert parse({})[1] == ["the version map is empty: write e.g. {'<2.14': 2, '>=2.14': 0}"]


def test_plain_form() -> None:
    assert parse({"<2.14": 2})[0].to_plain() == {"<2.14": 2}
    assert Bound(3).to_plain() == 3
    assert Bound().to_plain() is None


def test_bounds_of_plugins_by_name() -> None:
    faults: list[str] = []
    assert parse_extra_bounds(None, faults.append) == {}
    found = parse_extra_bounds({"max_a": 1.5, "min_b": None, "max_c": {"<3": 1}}, faults.append)
    assert found == {"max_a": Bound(1.5), "min_b": Bound(), "max_c": Bound((("<3", 1),))}
    assert faults == []


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        (["max_a"], "expected a dict such as {'max_matmuls': 3}, got ['max_a']"),
        ({1: 2}, "expected a dict such as {'max_matmuls': 3}, got {1: 2}"),
        ({"max_a": "x"}, "['max_a']: expected a number, 0 or more (None for no bound), got 'x'"),
        (
            {"max_a": {"<3": -1}},
            "['max_a']['<3']: expected a number, 0 or more, got -1",
        ),
    ],
)
def test_faulty_bounds_of_plugins(value: object, fault: str) -> None:
    faults: list[str] = []
    parse_extra_bounds(value, faults.append)
    assert faults == [fault]
