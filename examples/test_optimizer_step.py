"""A compiled optimizer step with a learning-rate schedule, as in torch's tutorial.

A learning rate that is a number costs one rebuild, in which torch makes a symbol of it; one that is
a tensor costs none. The breaks are torch's own, around the one graph that updates all parameters.
"""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.optim.lr_scheduler import LinearLR

from pytest_compilecheck import compile_contract

# Four steps of training, each in both passes.
BATCHES = [(4, 8)] * 4
TORCHS_OWN = [{"owner": "torch", "because": "torch leaves schedule and grad mode out of the graph"}]


class Trainer:
    """A training loop whose parameters are updated by compiled code."""

    def __init__(self, learning_rate):
        self.model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=learning_rate)
        self.schedule = LinearLR(self.optimizer, total_iters=100)
        self.update = torch.compile(self.optimizer.step, backend="eager")

    def step(self, x):
        self.optimizer.zero_grad()
        loss = self.model(x).square().mean()
        loss.backward()
        self.update()
        self.schedule.step()
        return loss


@pytest.fixture
def trainer(request):
    return Trainer(learning_rate=request.param(0.01))


# torch itself: 2 graphs, of 80 operations at first, 2 break records, 1 recompile, for 8 steps.
@pytest.mark.parametrize("trainer", [float], indirect=True)
@compile_contract(
    watch_only=True,
    allow_breaks=TORCHS_OWN,
    allow_recompiles=["automatic_dynamic"],
    max_graphs=2,
    max_graph_launches_per_call=1,
    min_captured_ops=80,
    shapes=BATCHES,
)
def test_learning_rate_as_a_number(trainer, x):
    assert trainer.step(x).isfinite()


# torch itself: 1 graph of 88 operations, 2 break records, no recompile.
@pytest.mark.parametrize("trainer", [torch.tensor], indirect=True)
@compile_contract(
    watch_only=True,
    allow_breaks=TORCHS_OWN,
    max_graphs=1,
    max_graph_launches_per_call=1,
    min_captured_ops=80,
    shapes=BATCHES,
)
def test_learning_rate_as_a_tensor(trainer, x):
    assert trainer.step(x).isfinite()
