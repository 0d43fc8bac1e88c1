from __future__ import annotations

import torch

from pytest_compilecheck.contract.model import Contract
from pytest_compilecheck.replay.cutting import difference_after_cut

ROUNDED = {"S": (3, 4)}


def told(expected: object, actual: object) -> str | None:
    return difference_after_cut(expected, actual, ROUNDED, Contract())


def test_padded_outputs_are_cut_wherever_they_lie() -> None:
    real = torch.rand(2, 3)
    whole = torch.cat([real, torch.full((2, 1), 9.0)], dim=1)
    assert told(real, whole) is None
    assert told({"a": [real, (real.T, 1)]}, {"a": [whole, (whole.T, 1)]}) is None


def test_a_difference_in_the_real_part_is_one() -> None:
    real = torch.zeros(3)
    assert "Mismatched elements: 1 / 3" in (told(real, torch.tensor([0.0, 1.0, 0.0, 0.0])) or "")


def test_an_output_over_all_elements_is_compared_as_it_is() -> None:
    assert told(torch.tensor(1.0), torch.tensor(1.0)) is None
    assert "not close" in (told(torch.tensor(1.0), torch.tensor(0.75)) or "")


def test_sizes_that_were_not_rounded_are_not_cut() -> None:
    found = told([torch.zeros(6)], [torch.zeros(8)])
    assert found == (
        "output[0]: it cannot be cut back: the padded run gives the sizes [8], the unpadded one [6]"
    )
    assert "cannot be cut back" in (told(torch.zeros(3), torch.zeros(4, 1)) or "")


def test_values_that_are_no_tensors_must_agree() -> None:
    assert told({"n": 3}, {"n": 4}) == "output['n']: eager gives 3, compiled 4"
