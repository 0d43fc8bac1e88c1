"""Training code that compiles its model itself: `watch_only` compiles nothing, and watches.

As released, GPT-2 logs a warning in each call that computes a loss. torch cannot compile a call of
a logger, so the model is left in the middle of `forward`; one line in the project cures it.
"""

from __future__ import annotations

import pytest
import torch
from transformers import GPT2Config, GPT2LMHeadModel

from pytest_compilecheck import compile_contract, spec

VOCABULARY = 128
BATCH = {"ids": spec("B S", dtype="int64", high=VOCABULARY)}


class Trainer:
    """The loop of a project, with its own call of `torch.compile`."""

    def __init__(self, model):
        # A project takes the default backend; "eager" spares the example a C++ compiler.
        self.model = torch.compile(model, backend="eager")
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)

    def step(self, ids):
        self.optimizer.zero_grad()
        loss = self.model(input_ids=ids, labels=ids, use_cache=False).loss
        loss.backward()
        self.optimizer.step()
        return loss.item()


@pytest.fixture
def model():
    config = GPT2Config(vocab_size=VOCABULARY, n_positions=64, n_embd=32, n_layer=2, n_head=4)
    return GPT2LMHeadModel(config)


@compile_contract(
    watch_only=True,
    max_graph_breaks=0,
    max_recompiles=0,
    max_graphs=1,
    shapes=BATCH,
    dims={"B": 4, "S": 16},
)
def test_loss_falls_when_the_loss_is_named(model, ids):
    model.loss_type = "ForCausalLM"
    trainer = Trainer(model)
    losses = [trainer.step(ids) for _ in range(4)]
    assert losses[-1] < losses[0]


@compile_contract(
    watch_only=True,
    max_graph_breaks=0,
    allow_breaks=[
        {
            "file": "*/transformers/modeling_utils.py",
            "because": "the name GPT2LMHeadModel implies no loss, so transformers logs a warning",
        },
    ],
    allow_fallbacks=[
        {
            "kind": "skipped_frame",
            "file": "*/transformers/*",
            "because": "what follows the warning in forward() is the loss, which has its own graph",
        },
    ],
    max_graphs=2,
    max_recompiles=0,
    shapes=BATCH,
    dims={"B": 4, "S": 16},
)
def test_loss_falls_as_released(model, ids):
    trainer = Trainer(model)
    losses = [trainer.step(ids) for _ in range(4)]
    assert losses[-1] < losses[0]
