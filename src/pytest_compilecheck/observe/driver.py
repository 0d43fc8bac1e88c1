"""Runs the trace of a contract, watched or eagerly."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import Any, cast

import torch

from pytest_compilecheck.contract.model import Contract
from pytest_compilecheck.observe import torch_adapter
from pytest_compilecheck.observe.as_written import AsWritten
from pytest_compilecheck.observe.inputs import make_inputs, sizes_of_step
from pytest_compilecheck.observe.observation import Observation
from pytest_compilecheck.observe.watch import Watch


@dataclass(frozen=True, slots=True)
class Run:
    """What a watched trace gave: the facts, and what the function raised, if it did.

    `refused` tells that the error is torch's own word for a graph break or for nothing compiled,
    as full-graph mode raises it: the observation says the same and more.
    """

    observation: Observation
    error: BaseException | None
    refused: bool


def run_eagerly(
    contract: Contract, function: Callable[..., Any], arguments: Mapping[str, Any]
) -> None:
    """Run the trace once, without torch.compile."""
    with _surroundings(contract):
        for step in contract.trace.steps:
            torch.manual_seed(contract.seed)
            function(**arguments, **make_inputs(step, contract.seed))


def run_watched(
    contract: Contract,
    function: Callable[..., Any],
    arguments: Mapping[str, Any],
    *,
    default_backend: str,
    root: str,
) -> Run:
    """Run the trace under torch.compile from an empty compile cache and watch it.

    Args:
        contract: says what to compile and how, and the trace.
        function: the marked function.
        arguments: values of the parameters that the trace does not make, by name.
        default_backend: the backend where the contract names none.
        root: directory whose code is "own".
    """
    swap = AsWritten()
    watch = Watch(root, existing=contract.watch_only or contract.compiles is not None, around=swap)
    error: BaseException | None = None
    torch_adapter.reset()
    try:
        with watch, _surroundings(contract):
            try:
                compiled, values = _compile(contract, function, arguments, default_backend)
                _run_passes(contract, watch, swap, compiled, values)
            except BaseException as raised:  # noqa: BLE001 - the caller raises it again
                error = raised
    finally:
        swap.end()
        torch_adapter.reset()
    return Run(watch.observation, error, refused=torch_adapter.is_refusal(error))


@dataclass(slots=True)
class Block:
    """A watched `with` block; `run` gives what was seen once it is over."""

    watch: Watch
    error: BaseException | None = None

    def run(self) -> Run:
        """The block as a run of one step."""
        return Run(self.watch.observation, self.error, torch_adapter.is_refusal(self.error))


@contextmanager
def watched_block(contract: Contract, *, root: str) -> Iterator[Block]:
    """Watch a block that runs the test itself, from an empty compile cache."""
    swap = AsWritten()
    block = Block(Watch(root, around=swap))
    torch_adapter.reset()
    try:
        with block.watch, _surroundings(contract):
            torch.manual_seed(contract.seed)
            yield block
    except BaseException as error:
        block.error = error
        raise
    finally:
        swap.end()
        torch_adapter.reset()


def _run_passes(
    contract: Contract,
    watch: Watch,
    swap: AsWritten,
    function: Callable[..., Any],
    arguments: Mapping[str, Any],
) -> None:
    makes_call = not contract.watch_only and contract.compiles is None
    for pass_ in range(contract.passes):
        for step in contract.trace.steps:
            inputs = make_inputs(step, contract.seed)
            torch.manual_seed(contract.seed)
            watch.begin_step(step.index, pass_, sizes_of_step(step), step.weight)
            error: BaseException | None = None
            started = perf_counter()
            try:
                function(**arguments, **inputs)
            except BaseException as raised:
                error = raised
                raise
            finally:
                seconds = perf_counter() - started
                watch.end_step(seconds=seconds, error=error, makes_call=makes_call)
                swap.end()


def _compile(
    contract: Contract,
    function: Callable[..., Any],
    arguments: Mapping[str, Any],
    default_backend: str,
) -> tuple[Callable[..., Any], dict[str, Any]]:
    """The function and arguments of the trace, with compiled regions in place of what is named."""
    values = dict(arguments)
    if contract.watch_only:
        return function, values
    backend = contract.backend if contract.backend is not None else default_backend
    options: dict[str, Any] = {"backend": backend, **contract.torch_options}
    if contract.compiles is None:
        return torch.compile(function, **options), values
    for name in contract.compiles:
        values[name] = torch.compile(values[name], **options)
    return function, values


@contextmanager
def _surroundings(contract: Contract) -> Iterator[None]:
    """Seed, threads and warnings of a trace; what was there before comes back."""
    with ExitStack() as stack:
        stack.enter_context(torch.random.fork_rng())
        if contract.threads is not None:
            stack.callback(torch.set_num_threads, torch.get_num_threads())
            torch.set_num_threads(contract.threads)
        # A warning of torch's that a strict test run turns into an error would end a compile that
        # goes well in production.
        stack.enter_context(warnings.catch_warnings())
        _do_not_raise_warnings_of_torch()
        yield


def _do_not_raise_warnings_of_torch() -> None:
    """Put a rule for torch right before the first that makes errors; what comes earlier stands."""
    if not any(rule[0] == "error" for rule in warnings.filters):
        return
    warnings.filterwarnings("default", module=r"torch(\.|$)")
    rules = cast("list[Any]", warnings.filters)
    ours = rules.pop(0)
    rules.insert(next(at for at, rule in enumerate(rules) if rule[0] == "error"), ours)
