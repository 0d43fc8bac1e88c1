"""Six lengths through an attention block: one rebuild, a rebuild for each, or none.

The lengths lie at both sides of three powers of two. Lower a bound to 0, or leave an exception out,
and the failure explains each pause: the call, the size before and after, the line, the cure.
"""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention

from pytest_compilecheck import compile_contract

SHAPES = {"x": "B S 32"}
LENGTHS = {"B": 2, "S": [128, 129, 256, 257, 512, 513]}
WINDOW = 128


class Attention(nn.Module):
    """Causal self-attention over (batch, length, width), of the kind that most models have."""

    def __init__(self, width=32, heads=4):
        super().__init__()
        self.heads = heads
        self.norm = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x):
        q, k, v = self.qkv(self.norm(x)).unflatten(-1, (3, self.heads, -1)).unbind(2)
        mixed = self.attend(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2))
        return x + self.out(mixed.transpose(1, 2).flatten(2))

    def attend(self, q, k, v):
        return scaled_dot_product_attention(q, k, v, is_causal=True)


class LoopedAttention(Attention):
    """The same in windows of queries, with a Python loop over them."""

    def attend(self, q, k, v):
        starts = range(0, q.shape[2], WINDOW)
        mixed = [scaled_dot_product_attention(q[:, :, at : at + WINDOW], k, v) for at in starts]
        return torch.cat(mixed, dim=2)


@pytest.fixture
def model():
    return Attention().eval().requires_grad_(False)


@pytest.fixture
def looped():
    return LoopedAttention().eval().requires_grad_(False)


# The second length makes torch take the length as a symbol; from then on all of them hit.
@compile_contract(
    compiles="model",
    dynamic_dims=["S"],
    allow_recompiles=["automatic_dynamic"],
    shapes=SHAPES,
    dims=LENGTHS,
)
def test_one_rebuild_serves_all_lengths(model, x):
    assert model(x).shape == x.shape


# Told beforehand, torch needs no rebuild at all.
@compile_contract(compiles="model", dynamic=True, dynamic_dims=["S"], shapes=SHAPES, dims=LENGTHS)
def test_no_rebuild_where_the_length_is_dynamic_from_the_start(model, x):
    assert model(x).shape == x.shape


# A loop over the length needs it as a number: each length has a graph of its own, and
# dynamic_dims=["S"] would name the line of the loop.
@compile_contract(
    compiles="looped",
    max_recompiles=len(LENGTHS["S"]) - 1,
    warmup_calls=len(LENGTHS["S"]),
    max_recompiles_after_warmup=0,
    shapes=SHAPES,
    dims=LENGTHS,
)
def test_a_loop_over_the_length_has_a_graph_for_each(looped, x):
    assert looped(x).shape == x.shape
