"""An encoder-decoder: two lengths that change, and the length 1 that torch treats specially.

The first change makes both lengths symbolic: one recompile. A target of one token, the first of
each translation, is compiled by itself, since torch never lets a symbol be 0 or 1: the second.
"""

from __future__ import annotations

import pytest
from transformers import T5Config, T5ForConditionalGeneration

from pytest_compilecheck import compile_contract, spec

VOCABULARY = 128


@pytest.fixture
def model():
    config = T5Config(
        vocab_size=VOCABULARY,
        d_model=32,
        d_kv=8,
        d_ff=64,
        num_layers=2,
        num_heads=4,
        decoder_start_token_id=0,
    )
    return T5ForConditionalGeneration(config).eval().requires_grad_(False)


@compile_contract(
    compiles="model",
    max_graph_breaks=0,
    max_recompiles=2,
    shapes={
        "source": spec("B S", dtype="int64", high=VOCABULARY),
        "target": spec("B T", dtype="int64", high=VOCABULARY),
    },
    dims={"B": 2, "S": [16, 20, 24, 24], "T": [8, 9, 11, 1]},
)
def test_source_and_target_lengths(model, source, target):
    logits = model(input_ids=source, decoder_input_ids=target, use_cache=False).logits
    assert logits.shape == (*target.shape, VOCABULARY)
    assert logits.isfinite().all()
