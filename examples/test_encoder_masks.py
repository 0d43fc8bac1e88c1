"""`torch.nn.TransformerEncoder`, and what its masks cost: none or one, and causal ones.

In eval mode and without gradients each layer is one fused operation, torch's fast path; in
training it is fourteen operations.
"""

from __future__ import annotations

import pytest
import torch
from torch import nn

from pytest_compilecheck import compile_contract


def encoder():
    layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True)
    return nn.TransformerEncoder(layer, num_layers=2, enable_nested_tensor=False)


@pytest.fixture
def fast():
    return encoder().eval().requires_grad_(False)


@pytest.fixture
def training():
    return encoder().train()


def padding(x, tokens):
    """True where a position is padding: all after the first `tokens`."""
    return (torch.arange(x.shape[1]) >= tokens).expand(x.shape[:2])


# A mask in some calls only is a graph more. torch itself: 2 graphs, of 2 and 4 operations, no break
# record, 1 recompile.
@compile_contract(
    compiles="fast",
    allow_recompiles=[
        {
            "cause": "python_type",
            "source": "*src_key_padding_mask*",
            "because": "batches without padding come without a mask",
        }
    ],
    max_graphs=2,
    max_graph_launches_per_call=1,
    shapes=(4, 10, 32),
    values={"tokens": [None, 8, 6]},
)
def test_mask_or_none(fast, x, tokens):
    mask = None if tokens is None else padding(x, tokens)
    assert fast(x, src_key_padding_mask=mask).shape == x.shape


# A mask in all calls, an empty one where there is no padding. torch itself: 1 graph of 4
# operations, no break record, no recompile.
@compile_contract(
    compiles="fast",
    max_graphs=1,
    shapes=(4, 10, 32),
    values={"tokens": [10, 8, 6]},
)
def test_always_a_mask(fast, x, tokens):
    assert fast(x, src_key_padding_mask=padding(x, tokens)).shape == x.shape


# torch looks at a mask to see whether it is causal, and breaks before anything was captured: told
# with `is_causal`, it does not look. torch itself: 2 graphs of 28 operations, no break record, 1
# recompile; without `is_causal` no graph at all and a break record in each of two attempts.
@compile_contract(
    compiles="training",
    dynamic_dims=["S"],
    allow_recompiles=["automatic_dynamic"],
    max_graphs=2,
    min_captured_ops=28,
    max_graph_launches_per_call=1,
    shapes={"x": "B S 32"},
    dims={"B": 4, "S": [10, 12, 17]},
)
def test_causal_mask(training, x):
    mask = nn.Transformer.generate_square_subsequent_mask(x.shape[1])
    assert training(x, mask=mask, is_causal=True).shape == x.shape
