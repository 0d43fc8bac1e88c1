from __future__ import annotations

import pytest

from pytest_compilecheck.baseline.release import minor_release, nearest, order


@pytest.mark.parametrize(
    ("version", "release"),
    [
        ("2.13.0", "2.13"),
        ("2.8.1+cpu", "2.8"),
        ("2.16.0.dev20261101", "2.16"),
        ("2.16.0a0+git1f", "2.16"),
        ("trunk", "trunk"),
    ],
)
def test_figures_are_kept_by_minor_release(version: str, release: str) -> None:
    assert minor_release(version) == release


@pytest.mark.parametrize(
    ("release", "recorded", "used"),
    [
        ("2.13", ["2.13", "2.15"], "2.13"),
        ("2.14", ["2.9", "2.13", "2.15"], "2.13"),
        ("2.10", ["2.9", "2.8"], "2.9"),
        ("2.8", ["2.15", "2.9"], "2.9"),
        ("2.8", [], None),
    ],
)
def test_the_nearest_release_before_holds_else_the_first_after(
    release: str, recorded: list[str], used: str | None
) -> None:
    assert nearest(release, recorded) == used


def test_releases_are_in_the_order_of_numbers() -> None:
    assert sorted(["2.10", "2.9", "3.0"], key=order) == ["2.9", "2.10", "3.0"]
