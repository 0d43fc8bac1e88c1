"""Which policy for six lengths: an MLP and an attention block, 100 requests, real compiles.

An ordinary contract each, as long as nobody asks for their policies to be measured:

    python examples/six_lengths.py six-lengths
"""

from __future__ import annotations

import pytest
from test_attention_lengths import Attention
from torch import nn
from torch.nn.functional import gelu

from pytest_compilecheck import compile_contract, spec, trace_file

WIDTH = 128
POLICIES = ["static", "pow2", "dynamic"]
# Lengths at both sides of three powers of two: the second of each pair pads to twice its size.
LENGTHS = trace_file("six_lengths.csv")
SHAPES = {"x": spec(f"4 S {WIDTH}")}


class MLP(nn.Module):
    """The other half of a transformer's layer."""

    def __init__(self, width):
        super().__init__()
        self.wide = nn.Linear(width, 4 * width)
        self.out = nn.Linear(4 * width, width)
        self.norm = nn.LayerNorm(width)

    def forward(self, x):
        return x + self.out(gelu(self.wide(self.norm(x))))


@pytest.fixture
def mlp():
    return MLP(WIDTH).eval().requires_grad_(False)


@pytest.fixture
def attention():
    return Attention(WIDTH).eval().requires_grad_(False)


@compile_contract(
    compiles="mlp",
    backend="inductor",
    policies=POLICIES,
    allow_recompiles=["automatic_dynamic"],
    shapes=SHAPES,
    dims=LENGTHS,
)
def test_mlp(mlp, x):
    assert mlp(x).shape == x.shape


# Causal: no real position looks at a padded one, so that padding needs no mask.
@compile_contract(
    compiles="attention",
    backend="inductor",
    policies=POLICIES,
    allow_recompiles=["automatic_dynamic"],
    shapes=SHAPES,
    dims=LENGTHS,
)
def test_attention(attention, x):
    assert attention(x).shape == x.shape
