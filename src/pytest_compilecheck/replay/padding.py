"""Tensors padded to larger sizes, and the mask that tells what is real in them."""

from __future__ import annotations

from collections.abc import Sequence

import torch


def padded(tensor: torch.Tensor, sizes: Sequence[int], value: float) -> torch.Tensor:
    """The tensor in the first corner of one of `sizes`, filled up with `value`.

    Dtype, device, the order of its dims in memory and whether it wants a gradient are kept.
    """
    if tuple(tensor.shape) == tuple(sizes):
        return tensor
    order = sorted(range(tensor.dim()), key=tensor.stride, reverse=True)
    whole = torch.empty_permuted(tuple(sizes), order, dtype=tensor.dtype, device=tensor.device)
    with torch.no_grad():
        whole.fill_(value)
        whole[_corner(tensor.shape)] = tensor.detach()
    return whole.requires_grad_(tensor.requires_grad)


def mask_of(real: Sequence[int], sizes: Sequence[int], device: str | None) -> torch.Tensor:
    """1 where an element is real, 0 where it is padded (int64, as models of Hugging Face take)."""
    mask = torch.zeros(tuple(sizes), dtype=torch.int64, device=device)
    mask[_corner(real)] = 1
    return mask


def _corner(sizes: Sequence[int]) -> tuple[slice, ...]:
    return tuple(slice(size) for size in sizes)
