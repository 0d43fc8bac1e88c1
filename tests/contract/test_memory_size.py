from __future__ import annotations

import pytest

from pytest_compilecheck.contract.bounds import Bound
from pytest_compilecheck.contract.memory_size import parse_memory_bound


@pytest.mark.parametrize(
    ("written", "size"),
    [
        ("20 MB", 20_000_000),
        ("20MB", 20_000_000),
        ("1.5 GB", 1_500_000_000),
        ("16 MiB", 2**24),
        ("3 kB", 3000),
        ("7 B", 7),
        (4096, 4096),
        (None, None),
    ],
)
def test_sizes_are_bytes(written: object, size: int | None) -> None:
    faults: list[str] = []
    assert parse_memory_bound(written, faults.append) == Bound(size)
    assert faults == []


def test_a_version_map_holds_sizes() -> None:
    faults: list[str] = []
    bound = parse_memory_bound({"<2.14": "1 MB", ">=2.14": "2 MB"}, faults.append)
    assert (bound.at("2.13.0"), bound.at("2.14.0")) == (1_000_000, 2_000_000)
    assert faults == []


@pytest.mark.parametrize("written", ["20", "20 mb", "MB", "-1 MB", "1e3 MB", "20 MB each", ""])
def test_other_texts_are_refused_with_the_units(written: str) -> None:
    faults: list[str] = []
    assert parse_memory_bound({"<3": written}, faults.append) == Bound()
    (fault,) = faults
    assert "expected a size such as '20 MB' (B, kB, MB, GB, KiB, MiB, GiB)" in fault
    assert repr(written) in fault


def test_no_bound_for_some_releases_is_refused_as_in_every_version_map() -> None:
    faults: list[str] = []
    parse_memory_bound({"<2.14": None, ">=2.14": "1 MB"}, faults.append)
    assert faults == ["['<2.14']: expected a whole number, 0 or more, got None"]


def test_a_size_beyond_all_memory() -> None:
    faults: list[str] = []
    assert parse_memory_bound("9" * 400 + " GB", faults.append) == Bound()
    assert len(faults) == 1
    assert parse_memory_bound("1." + "9" * 400 + " GB", faults.append) == Bound(2 * 10**9)


@pytest.mark.parametrize("written", [-1, 1.5, True, [1]])
def test_what_is_no_size_is_refused(written: object) -> None:
    faults: list[str] = []
    parse_memory_bound(written, faults.append)
    assert len(faults) == 1
