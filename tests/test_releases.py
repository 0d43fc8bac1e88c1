from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_compilecheck.releases import (
    KNOWN,
    NEWEST,
    OLDEST,
    UnsupportedTorchError,
    best_effort,
    refuse_old,
)

MINOR = st.integers(OLDEST[1], NEWEST[1])
PATCH = st.integers(0, 30)
BUILD = st.sampled_from(["", "+cpu", "+cu130", "+rocm6.4", "+xpu", ".post1", ".post2+cu128"])
UNFINISHED = st.sampled_from(["a0+git1a2b3c4", "rc1", "rc2+cu130", ".dev20261101+cpu", "+git1a2b"])


@given(MINOR, PATCH, BUILD)
def test_a_release_in_the_range_is_known_whatever_its_build(
    minor: int, patch: int, build: str
) -> None:
    version = f"2.{minor}.{patch}{build}"
    refuse_old(version)
    assert best_effort(version) == ""


@given(MINOR, PATCH, UNFINISHED)
def test_what_is_no_final_release_is_best_effort(minor: int, patch: int, rest: str) -> None:
    version = f"2.{minor}.{patch}{rest}"
    refuse_old(version)
    assert best_effort(version).startswith(f"torch {version} is no final release")


@given(st.tuples(st.integers(2, 9), st.integers(0, 99)).filter(lambda each: each > NEWEST), BUILD)
def test_a_newer_one_is_best_effort(release: tuple[int, int], build: str) -> None:
    version = f"{release[0]}.{release[1]}.0{build}"
    refuse_old(version)
    told = best_effort(version)
    assert told.startswith(f"torch {version} is newer than the newest")
    assert KNOWN in told


@given(st.tuples(st.integers(0, 2), st.integers(0, 99)).filter(lambda each: each < OLDEST), BUILD)
def test_an_older_one_is_refused_with_what_to_install(release: tuple[int, int], build: str) -> None:
    version = f"{release[0]}.{release[1]}.1{build}"
    with pytest.raises(UnsupportedTorchError) as told:
        refuse_old(version)
    assert str(told.value).startswith(f"torch {version} is too old")
    assert str(told.value).endswith(f"install torch {KNOWN}")


@pytest.mark.parametrize(
    ("version", "what"),
    [
        (f"2.{NEWEST[1] + 1}.0.dev20261101+cpu", "is newer than the newest that is known to work"),
        ("2.10.0", ""),  # not older than 2.8: these are numbers
        ("2.8.0a0", "is no final release"),
        ("3.0", "is newer than the newest that is known to work"),
        ("local", "is no release"),
        ("", "is no release"),
    ],
)
def test_versions_that_people_have(version: str, what: str) -> None:
    refuse_old(version)
    assert best_effort(version).startswith(f"torch {version} {what}" if what else "")
    assert bool(best_effort(version)) == bool(what)
