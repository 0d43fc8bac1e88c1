"""A decoding loop: what the choice of the cache costs.

One step of the trace runs a whole loop, so it makes several calls: the prefill, then one for each
token. Each step starts with a new cache, as each request to a server does.
"""

from __future__ import annotations

import pytest
import torch
from transformers import DynamicCache, LlamaConfig, LlamaForCausalLM, StaticCache

from pytest_compilecheck import compile_contract, spec

VOCABULARY = 128
NEW_TOKENS = 5
PROMPT = spec("B S", dtype="int64", high=VOCABULARY)
SIZES = {"B": 1, "S": 6}


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


def decode(model, prompt, cache):
    """The tokens that follow `prompt`, chosen greedily; shape (batch, NEW_TOKENS)."""
    tokens, new, position = prompt, [], 0
    for _ in range(NEW_TOKENS):
        positions = torch.arange(position, position + tokens.shape[1])[None]
        logits = model(input_ids=tokens, position_ids=positions, cache=cache).logits
        position += tokens.shape[1]
        tokens = logits[:, -1:].argmax(dim=-1)
        new.append(tokens)
    return torch.cat(new, dim=1)


# What makes torch compile again, each with its reason; anything else breaks the contracts.
FIRST_TOKEN = [
    {"source": "*.size(1)", "because": "a single token follows the prefill: size 1 is special"},
    {"source": "*.is_initialized", "because": "the cache makes its tensors in the prefill"},
]


# The prefill and the single token are two shapes: one recompile. From the third call on, each
# token of each request must be served by what is there.
@compile_contract(
    compiles="model",
    allow_recompiles=FIRST_TOKEN,
    warmup_calls=2,
    max_recompiles_after_warmup=0,
    shapes={"prompt": PROMPT},
    dims=SIZES,
)
def test_static_cache_is_warm_from_the_second_token(model, prompt):
    cache = StaticCache(config=model.config, max_cache_len=16)
    assert decode(model, prompt, cache).shape == (1, NEW_TOKENS)


# A cache that grows is one more shape that changes: a second recompile, one token later, in which
# torch makes its length a symbol.
@compile_contract(
    compiles="model",
    allow_recompiles=[*FIRST_TOKEN, "automatic_dynamic"],
    warmup_calls=3,
    max_recompiles_after_warmup=0,
    shapes={"prompt": PROMPT},
    dims=SIZES,
)
def test_dynamic_cache_needs_one_token_more(model, prompt):
    cache = DynamicCache(config=model.config)
    assert decode(model, prompt, cache).shape == (1, NEW_TOKENS)
