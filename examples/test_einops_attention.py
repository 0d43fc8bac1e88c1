"""A plain function: no model, and an ordinary parameter from `parametrize`.

Without `compiles` the test function itself is the region. Each value of `heads` is a test of its
own, with a compile cache of its own: nothing is rebuilt because of it.
"""

from __future__ import annotations

import pytest
from einops import rearrange
from torch.nn.functional import scaled_dot_product_attention

from pytest_compilecheck import compile_contract


def attend(qkv, heads):
    """Self-attention over packed queries, keys and values, (batch, length, 3 x width)."""
    q, k, v = rearrange(qkv, "b s (three h d) -> three b h s d", three=3, h=heads)
    mixed = scaled_dot_product_attention(q, k, v, is_causal=True)
    return rearrange(mixed, "b h s d -> b s (h d)")


@pytest.mark.parametrize("heads", [2, 4])
@compile_contract(
    max_graph_breaks=0,
    max_recompiles=1,
    max_graph_launches_per_call=1,
    shapes={"qkv": "B S 96"},
    dims={"B": 2, "S": [16, 24, 32]},
)
def test_attention(qkv, heads):
    mixed = attend(qkv, heads)
    assert mixed.shape == (*qkv.shape[:2], 32)
    assert mixed.isfinite().all()
