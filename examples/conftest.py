"""What all examples share."""

from __future__ import annotations

import pytest
import torch


@pytest.fixture(autouse=True)
def same_weights_in_each_run() -> None:
    """Seed the random weights: they decide, for one, which expert a token goes to."""
    torch.manual_seed(0)
