"""What the contracts of the soak compile."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn


class Layer(nn.Module):
    """One block of a small network."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(8, 8)
        self.norm = nn.LayerNorm(8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Keeps the shape."""
        assert x.shape[-1] == 8
        return x + self.linear(self.norm(x)).relu()


class Counting(nn.Module):
    """Recompiles at each call: a number of the module changes."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = 0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Torch specializes on `calls`."""
        self.calls += 1
        return x * self.calls


def breaks(x: torch.Tensor) -> torch.Tensor:
    """Two pieces with a graph break between them."""
    y = x * 2
    if y.sum() > 0:
        y = y + 1
    return y


def made_here(bound: float) -> Any:
    """A function of a closure, with an assert that pytest rewrites."""

    def scaled(x: torch.Tensor) -> torch.Tensor:
        assert bound > 0
        return (x / bound).tanh()

    return scaled
