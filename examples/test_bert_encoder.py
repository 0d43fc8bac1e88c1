"""An encoder with a padding mask, under each of its attention implementations.

The first test compiles the model; the second compiles the test function itself, with what a
project does around the model.
"""

from __future__ import annotations

import pytest
import torch
from transformers import BertConfig, BertModel

from pytest_compilecheck import compile_contract, spec

VOCABULARY = 128
HIDDEN = 32
BATCH = {
    "ids": spec("B S", dtype="int64", high=VOCABULARY),
    "mask": spec("B S", dtype="int64", low=0, high=2),
}
LENGTHS = {"B": 2, "S": [16, 17, 32]}


@pytest.fixture(params=["eager", "sdpa"])
def model(request):
    config = BertConfig(
        vocab_size=VOCABULARY,
        hidden_size=HIDDEN,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        attn_implementation=request.param,
    )
    return BertModel(config).eval().requires_grad_(False)


@compile_contract(
    compiles="model", max_graph_breaks=0, max_recompiles=1, shapes=BATCH, dims=LENGTHS
)
def test_padded_batches(model, ids, mask):
    hidden = model(input_ids=ids, attention_mask=mask).last_hidden_state
    assert hidden.shape == (*ids.shape, HIDDEN)
    assert hidden.isfinite().all()


@compile_contract(
    max_graph_breaks=0,
    max_recompiles=1,
    max_graph_launches_per_call=1,
    shapes=BATCH,
    dims=LENGTHS,
)
def test_sentence_embedding(model, ids, mask):
    hidden = model(input_ids=ids, attention_mask=mask).last_hidden_state
    weights = mask[:, :, None].to(hidden.dtype)
    mean = (hidden * weights).sum(dim=1) / weights.sum(dim=1).clamp(min=1)
    embedding = torch.nn.functional.normalize(mean, dim=-1)
    assert embedding.shape == (len(ids), HIDDEN)
    assert embedding.isfinite().all()
