"""Measures the policies of a contract, one after the other, and compares them."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_compilecheck.contract.model import Contract
from pytest_compilecheck.contract.plain import plain
from pytest_compilecheck.contract.policies.policy import Policy
from pytest_compilecheck.policies.compare import compare
from pytest_compilecheck.policies.measured import Comparison, PolicyRun
from pytest_compilecheck.pytest_layer import settings
from pytest_compilecheck.pytest_layer.policies.process import Heard, measured
from pytest_compilecheck.pytest_layer.policies.progress import PolicyProgress
from pytest_compilecheck.pytest_layer.running.inductor_cache import temporary_directory

if TYPE_CHECKING:
    from pytest_compilecheck.pytest_layer.policies.replays import Replayed


def compared(item: pytest.Item, contract: Contract, replayed: Replayed) -> Comparison:
    """The comparison of a contract's policies."""
    chosen = item.config.stash[settings.KEY]
    progress = PolicyProgress(item.config, [policy.name for policy in contract.policies])
    runs, devices = [], set()
    for policy in contract.policies:
        progress.begin()
        if chosen.policies_inprocess:
            run, device = _measured_here(policy, replayed, progress.heard)
        else:
            run, device = measured(item, policy.name, chosen.policies_timeout, progress.heard)
        progress.end(run.error)
        runs.append(run)
        devices.add(device)
    backend = plain(contract.backend_or(chosen.backend))
    device = next(iter(devices - {"cpu"}), "cpu")
    return compare(runs, backend=str(backend), device=device)


def _measured_here(policy: Policy, replayed: Replayed, heard: Heard) -> tuple[PolicyRun, str]:
    """Measured in this process, of which nobody can say what memory belongs to the policy."""
    from pytest_compilecheck.observe.running.inductor_cache import cache_in
    from pytest_compilecheck.replay.device import Device

    with ExitStack() as stack:
        stack.enter_context(cache_in(stack.enter_context(temporary_directory())))
        run = replayed(policy, heard)
    calls = tuple(
        replace(call, memory_before=None, memory=None, device_memory=None) for call in run.calls
    )
    return (
        replace(run, calls=calls, memory_steps=(), peak_memory=None, peak_device_memory=None),
        Device().name,
    )
