from __future__ import annotations

import pytest

from pytest_compilecheck.contract.trace.dtypes import (
    ALIASES,
    NAMES,
    integer_range,
    parse_dtype,
    takes_gradient,
)


class FakeDtype:
    """Reads as a torch.dtype does."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"torch.{self.name}"


def parse(dtype: object) -> tuple[str, list[str]]:
    faults: list[str] = []
    return parse_dtype(dtype, faults.append), faults


@pytest.mark.parametrize("name", NAMES)
def test_names_and_dtypes(name: str) -> None:
    assert parse(name) == parse(FakeDtype(name)) == parse(f"torch.{name}") == (name, [])


@pytest.mark.parametrize(("alias", "name"), ALIASES.items())
def test_aliases(alias: str, name: str) -> None:
    assert parse(alias) == (name, [])


@pytest.mark.parametrize(
    ("dtype", "fault"),
    [
        ("flaot32", "dtype 'flaot32' is unknown (did you mean 'float32'?)"),
        (FakeDtype("int3"), "dtype torch.int3 is unknown (did you mean 'int32'?)"),
        ("qqq", "dtype 'qqq' is unknown: write a name such as 'float32'"),
        (None, "dtype None is unknown: write a name such as 'float32'"),
        (float, "dtype <class 'float'> is unknown: write a name such as 'float32'"),
    ],
)
def test_unknown(dtype: object, fault: str) -> None:
    assert parse(dtype)[1] == [fault]


def test_names_are_those_of_torch() -> None:
    torch = pytest.importorskip("torch")
    for name in NAMES:
        assert parse(getattr(torch, name)) == (name, [])
    for alias, name in ALIASES.items():
        assert getattr(torch, alias) is getattr(torch, name)


def test_ranges_are_those_of_torch() -> None:
    torch = pytest.importorskip("torch")
    for name in NAMES:
        dtype = getattr(torch, name)
        assert takes_gradient(name) == (dtype.is_floating_point or dtype.is_complex)
        if takes_gradient(name) or name == "bool":
            assert integer_range(name) is None
        else:
            info = torch.iinfo(dtype)
            assert integer_range(name) == (info.min, info.max)
