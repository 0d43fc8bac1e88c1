"""What is done with a contract's policies in place of, or after, the ordinary run."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_compilecheck.contract.policies.policy import Policy
    from pytest_compilecheck.policies.measured import PolicyRun
    from pytest_compilecheck.replay.runner import Told

    Replayed = Callable[[Policy, Told], PolicyRun]
    """Replays the trace of an item under a policy, in this process."""

REPLAY = pytest.StashKey["Callable[[tuple[Policy, ...], Replayed], None]"]()
"""In the process of a policy: takes the policies of the item, and what replays its trace."""
