"""A decoder's prefill: one recompile buys all prompt lengths.

torch compiles the first length as it is, and turns the length into a symbol when it first
changes. This rebuild is the one that `max_recompiles=1` allows: a third length must hit.
"""

from __future__ import annotations

import pytest
from transformers import LlamaConfig, LlamaForCausalLM

from pytest_compilecheck import compile_contract, spec

VOCABULARY = 128


@pytest.fixture
def model():
    config = LlamaConfig(
        vocab_size=VOCABULARY,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
    )
    return LlamaForCausalLM(config).eval().requires_grad_(False)


@compile_contract(
    compiles="model",
    max_graph_breaks=0,
    max_recompiles=1,
    max_graph_launches_per_call=1,
    shapes={"ids": spec("B S", dtype="int64", high=VOCABULARY)},
    dims={"B": 2, "S": [12, 13, 24]},
)
def test_prefill_compiles_twice_for_any_number_of_prompt_lengths(model, ids):
    logits = model(input_ids=ids, use_cache=False).logits
    assert logits.shape == (*ids.shape, VOCABULARY)
    assert logits.isfinite().all()
