"""A policy of tensordict modules in a rollout: what its tensordict holds decides on rebuilds.

A module reads some entries and writes others. Passed on to the next call, a tensordict holds what
the policy wrote there, and is another input to torch than the first; `select` makes both the same.
"""

from __future__ import annotations

import pytest
from torch import nn

from pytest_compilecheck import compile_contract

tensordict = pytest.importorskip("tensordict", reason="pip install tensordict")
modules = pytest.importorskip("tensordict.nn", reason="pip install tensordict")

STEPS = 3


@pytest.fixture
def policy():
    encoder = nn.Sequential(nn.Linear(8, 16), nn.Tanh())
    return modules.TensorDictSequential(
        modules.TensorDictModule(encoder, in_keys=["observation"], out_keys=["hidden"]),
        modules.TensorDictModule(nn.Linear(16, 8), in_keys=["hidden"], out_keys=["action"]),
    ).requires_grad_(False)


def rollout(policy, observation, keys):
    """Some steps in an environment that adds the action to the observation."""
    state = tensordict.TensorDict({"observation": observation}, batch_size=len(observation))
    for _ in range(STEPS):
        state = policy(state.select(*keys, strict=False))
        state["observation"] = state["observation"] + state["action"]
    return state


# The batch size of a tensordict is a Python number, which becomes a symbol together with the size
# of the tensor. torch itself: 2 graphs, no break record, 1 recompile, for 18 calls.
@compile_contract(
    compiles="policy",
    allow_recompiles=["automatic_dynamic"],
    max_graphs=2,
    max_graph_launches_per_call=1,
    shapes={"observation": "B 8"},
    dims={"B": [4, 6, 9]},
)
def test_batch_sizes_share_a_graph(policy, observation):
    state = rollout(policy, observation, keys=["observation"])
    assert state.batch_size == observation.shape[:1]
    assert state["observation"].isfinite().all()


# torch itself: 2 graphs, no break record, 1 recompile, for 6 calls: the second call has the keys
# that the first one wrote.
@compile_contract(
    compiles="policy",
    allow_recompiles=[
        {
            "source": "len(*._tensordict)",
            "because": "a rollout keeps hidden state and action in the tensordict it passes on",
        }
    ],
    max_graphs=2,
    shapes={"observation": (4, 8)},
)
def test_own_outputs_are_new_inputs(policy, observation):
    state = rollout(policy, observation, keys=["observation", "hidden", "action"])
    assert state["observation"].isfinite().all()
