"""A state-space model: each prompt length is a compile of its own, decoding is free.

The scan is a Python loop over the tokens. torch unrolls it, so a graph is good for one length.
The state does not grow with the text: each token after the first is a hit.
"""

from __future__ import annotations

import pytest
from transformers import MambaConfig, MambaForCausalLM

from pytest_compilecheck import compile_contract, spec

VOCABULARY = 128
TOKENS = spec("B S", dtype="int64", high=VOCABULARY)
LENGTHS = [8, 12, 16]


@pytest.fixture
def model():
    config = MambaConfig(
        vocab_size=VOCABULARY,
        hidden_size=32,
        state_size=4,
        num_hidden_layers=2,
        use_associative_scan=False,
    )
    return MambaForCausalLM(config).eval().requires_grad_(False)


# Serve a few padded lengths only: their number is the number of graphs, for good or ill.
@compile_contract(
    compiles="model",
    max_graph_breaks=0,
    max_recompiles=len(LENGTHS) - 1,
    shapes={"ids": TOKENS},
    dims={"B": 2, "S": LENGTHS},
)
def test_each_length_has_its_graph(model, ids):
    logits = model(input_ids=ids, use_cache=False).logits
    assert logits.shape == (*ids.shape, VOCABULARY)
    assert logits.isfinite().all()


@compile_contract(
    compiles="model",
    # torch 2.8 cannot build the cache in a graph: a break, and one rebuild within the first call.
    max_graph_breaks={"<2.13": 1, ">=2.13": 0},
    max_recompiles={"<2.13": 2, ">=2.13": 1},
    warmup_calls=2,
    max_recompiles_after_warmup=0,
    shapes={"ids": TOKENS},
    dims={"B": 2, "S": 8},
)
def test_decoding_is_warm_from_the_second_token(model, ids):
    output = model(input_ids=ids, use_cache=True)
    for _ in range(4):
        token = output.logits[:, -1:].argmax(dim=-1)
        output = model(input_ids=token, cache=output.cache, use_cache=True)
    assert output.logits.shape == (len(ids), 1, VOCABULARY)
    assert output.logits.isfinite().all()
