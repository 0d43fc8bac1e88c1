"""A layer of a graph network, with numbers of nodes and edges that change in each batch.

Gather, message, scatter: the form that PyTorch Geometric gives such layers, in plain torch. Both
numbers become symbols in one rebuild; to read one of them from the data breaks the graph.
"""

from __future__ import annotations

import pytest
import torch
from torch import nn

from pytest_compilecheck import compile_contract, spec

WIDTH = 16
GRAPHS = {
    "x": spec("N 16"),
    "edge_index": spec("2 E", dtype="int64", high=12),
}


class MeanConv(nn.Module):
    """Each node (nodes, width) takes the mean of what its neighbours send along (2, edges)."""

    def __init__(self):
        super().__init__()
        self.message = nn.Linear(WIDTH, WIDTH)
        self.update = nn.Linear(WIDTH, WIDTH)

    def forward(self, x, edge_index):
        source, target = edge_index
        messages = self.message(x[source]).relu()
        nodes = self.count_nodes(x, edge_index)
        total = messages.new_zeros(nodes, messages.shape[1]).index_add(0, target, messages)
        count = messages.new_zeros(nodes).index_add(0, target, torch.ones_like(messages[:, 0]))
        return self.update(total / count.clamp(min=1)[:, None])

    def count_nodes(self, x, edge_index):
        return x.shape[0]


class GuessingConv(MeanConv):
    """The same, for callers that tell no number of nodes: the largest index has to do."""

    def count_nodes(self, x, edge_index):
        return int(edge_index.max()) + 1


@pytest.fixture
def layer():
    return MeanConv()


@pytest.fixture
def guessing():
    return GuessingConv()


# torch itself: 2 graphs, no break record, 1 recompile.
@compile_contract(
    compiles="layer",
    dynamic_dims=["N", "E"],
    allow_recompiles=["automatic_dynamic"],
    max_graphs=2,
    max_fragile_guards=0,
    shapes=GRAPHS,
    dims={"N": [12, 15, 20, 17], "E": [40, 52, 61, 33]},
)
def test_graphs_of_all_sizes_are_served(layer, x, edge_index):
    assert layer(x, edge_index).shape == x.shape


# Told beforehand, torch needs no rebuild, unless the first graph is a ring, with as many edges as
# nodes: both are one symbol then. torch itself: 2 graphs, no break record, 1 recompile.
@compile_contract(
    compiles="layer",
    dynamic=True,
    dynamic_dims=["N", "E"],
    allow_recompiles=[
        {"source": "x.size(0)", "cause": "shape", "because": "the first graph is a ring"}
    ],
    max_graphs=2,
    shapes=GRAPHS,
    dims={"N": [12, 15, 20], "E": [12, 52, 61]},
)
def test_ring_first(layer, x, edge_index):
    assert layer(x, edge_index).shape == x.shape


# The number that is read from the data is also one fragile guard: what follows the break was
# compiled for twelve nodes. torch itself: 6 graphs, 4 break records of one line, 3 recompiles of
# three pieces in one call; 3 launches a call.
@compile_contract(
    compiles="guessing",
    dynamic_dims=["N", "E"],
    allow_breaks=[
        {"gb_id": "GB0124", "function": "count_nodes", "because": "a size from the data"}
    ],
    allow_recompiles=["automatic_dynamic"],
    max_graph_launches_per_call=3,
    max_fragile_guards=1,
    shapes=GRAPHS,
    dims={"N": [12, 15, 20, 17], "E": [40, 52, 61, 33]},
)
def test_number_of_nodes_from_the_data(guessing, x, edge_index):
    assert guessing(x, edge_index).shape[1] == WIDTH
