"""Runs the trace of a contract, watched or eagerly."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch

from pytest_compilecheck.contract.model import Contract
from pytest_compilecheck.observe import torch_adapter
from pytest_compilecheck.observe.as_written import AsWritten
from pytest_compilecheck.observe.running.eager_twin import (
    EagerTwin,
    Outputs,
    clear_gradients,
    run_backward,
)
from pytest_compilecheck.observe.running.fresh import (
    devices_in_use,
    fresh_watch,
    threads,
    warm_watch,
)
from pytest_compilecheck.observe.running.input_maker import Ask, InputMaker
from pytest_compilecheck.observe.running.inputs import make_inputs
from pytest_compilecheck.observe.running.leaves import IncomparableError
from pytest_compilecheck.observe.running.memory import memory_growth
from pytest_compilecheck.observe.running.step import Compiled, compile_parts, step_ended, step_noted
from pytest_compilecheck.observe.surroundings import Surroundings
from pytest_compilecheck.observe.values.observation import Observation
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
    contract: Contract,
    function: Callable[..., Any],
    arguments: Mapping[str, Any],
    *,
    ask_input: Ask | None = None,
) -> None:
    """Run the trace once, without torch.compile; `ask_input` may make inputs of other types."""
    maker = InputMaker(ask_input) if ask_input is not None else None
    with torch.random.fork_rng(devices=devices_in_use()), threads(contract):
        for step in contract.trace.steps:
            with step_noted(contract, step, pass_=None):
                inputs = make_inputs(step, contract.seed, maker)
                torch.manual_seed(contract.seed)
                function(**arguments, **inputs)


def run_watched(
    contract: Contract,
    function: Callable[..., Any],
    arguments: Mapping[str, Any],
    *,
    default_backend: str,
    around: Surroundings,
    ask_input: Ask | None = None,
) -> Run:
    """Run the trace under torch.compile from an empty compile cache and watch it.

    Args:
        contract: says what to compile and how, and the trace.
        function: the marked function.
        arguments: values of the parameters that the trace does not make, by name.
        default_backend: the backend where the contract names none.
        around: where the watch stands.
        ask_input: may make inputs of other types.
    """
    error: BaseException | None = None
    with fresh_watch(contract, around) as watch:
        maker = InputMaker(ask_input, watch.unobserved) if ask_input is not None else None
        try:
            compiled = compile_parts(contract, watch, function, arguments, default_backend)
            with _memory_noted(contract, watch):
                _run_passes(contract, watch, around.swap, compiled, arguments, maker=maker)
        except BaseException as raised:  # noqa: BLE001 - the caller raises it again
            error = raised
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
def watched_block(contract: Contract, around: Surroundings, *, fresh: bool) -> Iterator[Block]:
    """Watch a block that runs code of the test itself.

    A `fresh` one starts from an empty compile cache and the seed; else nothing is reset, and what
    was compiled before is warm.
    """
    begin = fresh_watch if fresh else warm_watch
    with begin(contract, around) as watch:
        block = Block(watch)
        if fresh:
            torch.manual_seed(contract.seed)
        try:
            with _memory_noted(contract, watch):
                yield block
        except BaseException as error:
            block.error = error
            raise


def _run_passes(
    contract: Contract,
    watch: Watch,
    swap: AsWritten,
    compiled: Compiled,
    arguments: Mapping[str, Any],
    *,
    maker: InputMaker | None,
) -> None:
    twin = EagerTwin(contract, compiled.source, arguments) if contract.match_eager else None
    for pass_ in range(contract.passes):
        for step in contract.trace.steps:
            inputs = make_inputs(step, contract.seed, maker)
            watch.remade_inputs = tuple(maker.remade) if maker is not None else ()
            if twin is not None:
                twin.copy_state(inputs)
            torch.manual_seed(contract.seed)
            watch.begin_step(step.index, pass_, step.sizes(), step.weight)
            compiled.outputs.returned.clear()
            with step_ended(contract, watch, swap), step_noted(contract, step, pass_):
                result = compiled.function(**compiled.values, **inputs)
                if contract.backward:
                    run_backward(result, compiled.outputs.returned)
            if twin is not None:
                difference, compared = _held_against(twin, watch, result, compiled.outputs, inputs)
                if difference is not None:
                    watch.differed(step.index, pass_, difference, compared=compared)
            if contract.backward:
                clear_gradients(arguments.values())


def _held_against(
    twin: EagerTwin, watch: Watch, result: Any, outputs: Outputs, inputs: dict[str, Any]
) -> tuple[str | None, bool]:
    """How the step differs from its eager run, and whether the two could be compared."""
    try:
        with watch.unobserved():
            return twin.compare(result, outputs, inputs), True
    except IncomparableError as error:
        return str(error), False


@contextmanager
def _memory_noted(contract: Contract, watch: Watch) -> Iterator[None]:
    """Tell the watch by how much the process grew, if the contract bounds that."""
    if contract.max_memory_growth.value is None:
        yield
        return
    with memory_growth() as growth:
        yield
    watch.memory_growth = growth.size
