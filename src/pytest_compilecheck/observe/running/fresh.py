"""An empty compile cache with a watch over it, and everything put back afterwards."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, cast

import torch

from pytest_compilecheck.contract.model import Contract
from pytest_compilecheck.observe import torch_adapter
from pytest_compilecheck.observe.custom_ops import CustomOpCheck
from pytest_compilecheck.observe.surroundings import Surroundings
from pytest_compilecheck.observe.watch import Watch


@contextmanager
def fresh_watch(contract: Contract, around: Surroundings) -> Iterator[Watch]:
    """A watch over an empty compile cache, which is emptied again."""
    with ExitStack() as stack:
        # A warning of torch's that a strict test run turns into an error would end a compile that
        # goes well in production, or the reset.
        stack.enter_context(warnings.catch_warnings())
        _do_not_raise_warnings_of_torch()
        stack.enter_context(torch.random.fork_rng(devices=devices_in_use()))
        stack.enter_context(torch_adapter.without_profiles())
        torch_adapter.reset()
        stack.callback(torch_adapter.reset)
        yield stack.enter_context(warm_watch(contract, around))


@contextmanager
def warm_watch(contract: Contract, around: Surroundings) -> Iterator[Watch]:
    """A watch over the compile cache as it is, with asserts as they are written in regions."""
    watch = Watch(
        around.root,
        existing=around.regions.live,
        around=around.swap,
        custom_ops=CustomOpCheck() if contract.check_custom_ops else None,
        label_owner=around.label_owner,
    )
    with threads(contract), around.swap.telling(watch.trouble), watch:
        yield watch


@contextmanager
def threads(contract: Contract) -> Iterator[None]:
    """Let torch use as many intra-op threads as the contract says."""
    with ExitStack() as stack:
        if contract.threads is not None:
            stack.callback(torch.set_num_threads, torch.get_num_threads())
            torch.set_num_threads(contract.threads)
        yield


def devices_in_use() -> list[int]:
    """GPUs whose random state a trace may change; none is initialised for this."""
    initialized = torch.cuda.is_available() and torch.cuda.is_initialized()  # type: ignore[no-untyped-call]
    return [torch.cuda.current_device()] if initialized else []


def _do_not_raise_warnings_of_torch() -> None:
    """Put a rule for torch right before the first that makes errors; what comes earlier stands."""
    if not any(rule[0] == "error" for rule in warnings.filters):
        return
    warnings.filterwarnings("default", module=r"torch(\.|$)")
    rules = cast("list[Any]", warnings.filters)
    ours = rules.pop(0)
    rules.insert(next(at for at, rule in enumerate(rules) if rule[0] == "error"), ours)
