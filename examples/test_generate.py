"""`generate()` of transformers compiles by itself: what the cache and the prompts cost.

With a static cache each token after the prefill runs compiled. `watch_only` watches what
`generate()` compiles; the `compilecheck` fixture holds each part of a test to figures of its own.
"""

from __future__ import annotations

import pytest
import torch
from transformers import CompileConfig, LlamaConfig, LlamaForCausalLM

from pytest_compilecheck import compile_contract, spec

VOCABULARY = 128
NEW_TOKENS = 5
PROMPTS = {"prompt": spec("B S", dtype="int64", high=VOCABULARY)}
LENGTHS = {"B": 1, "S": [6, 9, 12]}


@pytest.fixture
def model():
    config = LlamaConfig(
        vocab_size=VOCABULARY,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=1,
        num_attention_heads=4,
        num_key_value_heads=2,
    )
    return LlamaForCausalLM(config).eval().requires_grad_(False)


@pytest.fixture
def static_cache():
    """What makes generate() compile by itself; on a GPU `cache_implementation` alone does."""
    compiler = CompileConfig(backend="eager", mode=None)
    compiler._compile_all_devices = True  # transformers leaves a CPU out otherwise
    return {"cache_implementation": "static", "compile_config": compiler}


def generate(model, prompt, new_tokens=NEW_TOKENS, **options):
    tokens = model.generate(
        prompt, max_new_tokens=new_tokens, min_new_tokens=new_tokens, do_sample=False, **options
    )
    assert tokens.shape == (len(prompt), prompt.shape[1] + new_tokens)


# The cache grows to the longest request so far. torch itself: 2 graphs, no break record, 1
# recompile, in which the length of the cache becomes a symbol; 4 launches for each request.
# torch 2.8 guards on the identity of the cache's tensors, which each request makes anew: 5
# recompiles in 6 requests, and from the ninth on the model runs eagerly.
@compile_contract(
    watch_only=True,
    max_recompiles={"<2.13": 5, ">=2.13": 1},
    max_graph_launches_per_call=1,
    shapes=PROMPTS,
    dims=LENGTHS,
)
def test_static_cache_is_rebuilt_for_a_longer_prompt(model, prompt, static_cache):
    generate(model, prompt, **static_cache)


# One option makes the first cache large enough. torch itself: 1 graph, no recompile; 5 on 2.8.
@compile_contract(
    watch_only=True,
    max_recompiles={"<2.13": 5, ">=2.13": 0},
    max_graph_launches_per_call=1,
    shapes=PROMPTS,
    dims=LENGTHS,
)
def test_static_cache_that_is_large_enough_is_kept(model, prompt, static_cache):
    generate(model, prompt, max_cache_len=32, **static_cache)


# With a dynamic cache generate() compiles nothing; here the project does. torch itself: 1 graph for
# the prefill; 2 recompiles for the tokens, a size of 1 and a cache that grows; 1 for a second
# length of prompt; then none. No break record.
def test_dynamic_cache_is_warm_for_the_third_prompt(compilecheck, model):
    model.forward = compilecheck.compile(model.forward)
    first, second, third = (torch.randint(VOCABULARY, (1, length)) for length in LENGTHS["S"])
    with compilecheck.watch("prefill", max_graphs=1):
        generate(model, first, new_tokens=1)
    with compilecheck.watch("tokens", max_recompiles=2, min_hit_rate=0.6):
        generate(model, first)
    with compilecheck.watch("longer prompt", max_recompiles=1, min_hit_rate=0.8):
        generate(model, second)
    with compilecheck.watch("any prompt", max_recompiles=0, min_hit_rate=1):
        generate(model, third)
