from __future__ import annotations

import pytest

from pytest_compilecheck.contract.trace.model import Step
from pytest_compilecheck.replay.first_pass import dim_of

STEP = Step(index=0, named={"x": ("B", None, "S"), "pair[0]": ("S",)})


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("x.size(0)", "B"),
        ("x.size(2)", "S"),
        ("pair[0].size(0)", "S"),
        ("x.size(1)", None),
        ("x.size(3)", None),
        ("y.size(0)", None),
        ("x.stride(0)", None),
        ("self.step", None),
        ("", None),
    ],
)
def test_a_size_is_told_by_the_name_of_its_dim(source: str, name: str | None) -> None:
    assert dim_of(source, STEP) == name
