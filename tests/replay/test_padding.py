from __future__ import annotations

import pytest
import torch

from pytest_compilecheck.replay.padding import mask_of, padded


def test_what_is_real_lies_in_the_first_corner_and_the_rest_is_filled() -> None:
    whole = padded(torch.tensor([[1, 2], [3, 4]]), (3, 4), 7)
    assert whole.tolist() == [[1, 2, 7, 7], [3, 4, 7, 7], [7, 7, 7, 7]]


@pytest.mark.parametrize("dtype", [torch.bool, torch.int64, torch.float16, torch.complex64])
def test_the_dtype_is_kept(dtype: torch.dtype) -> None:
    whole = padded(torch.ones(2, dtype=dtype), (3,), 0)
    assert whole.dtype is dtype
    assert whole.tolist() == [1, 1, 0]


def test_nothing_is_copied_where_there_is_nothing_to_pad() -> None:
    tensor = torch.ones(2, 3)
    assert padded(tensor, (2, 3), 0) is tensor


def test_the_order_of_dims_in_memory_is_kept() -> None:
    image = torch.rand(2, 3, 5, 5).contiguous(memory_format=torch.channels_last)
    whole = padded(image, (2, 3, 8, 8), 0)
    assert whole.is_contiguous(memory_format=torch.channels_last)
    assert torch.equal(whole[:, :, :5, :5], image)


def test_a_leaf_that_wants_a_gradient_becomes_one() -> None:
    whole = padded(torch.ones(2, requires_grad=True), (4,), 0)
    assert whole.is_leaf
    assert whole.requires_grad


def test_a_mask_tells_what_is_real() -> None:
    mask = mask_of((1, 2), (2, 3), None)
    assert mask.dtype is torch.int64
    assert mask.tolist() == [[1, 1, 0], [0, 0, 0]]
