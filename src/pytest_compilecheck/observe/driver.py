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
from pytest_compilecheck.contract.trace import Step
from pytest_compilecheck.observe import torch_adapter
from pytest_compilecheck.observe.as_written import AsWritten
from pytest_compilecheck.observe.custom_ops import CustomOpCheck
from pytest_compilecheck.observe.eager_twin import (
    EagerTwin,
    Outputs,
    clear_gradients,
    run_backward,
)
from pytest_compilecheck.observe.input_maker import Ask, InputMaker
from pytest_compilecheck.observe.inputs import make_inputs
from pytest_compilecheck.observe.memory import memory_growth
from pytest_compilecheck.observe.observation import Observation
from pytest_compilecheck.observe.source import OwnerLabel
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
    with torch.random.fork_rng(devices=_devices_in_use()), _threads(contract):
        for step in contract.trace.steps:
            with _step_noted(contract, step, pass_=None):
                inputs = make_inputs(step, contract.seed, maker)
                torch.manual_seed(contract.seed)
                function(**arguments, **inputs)


def run_watched(
    contract: Contract,
    function: Callable[..., Any],
    arguments: Mapping[str, Any],
    *,
    default_backend: str,
    root: str,
    label_owner: OwnerLabel | None = None,
    ask_input: Ask | None = None,
) -> Run:
    """Run the trace under torch.compile from an empty compile cache and watch it.

    Args:
        contract: says what to compile and how, and the trace.
        function: the marked function.
        arguments: values of the parameters that the trace does not make, by name.
        default_backend: the backend where the contract names none.
        root: directory whose code is "own".
        label_owner: may say otherwise of a file.
        ask_input: may make inputs of other types.
    """
    existing = contract.watch_only or contract.compiles is not None
    error: BaseException | None = None
    with _fresh(contract, root, label_owner, existing=existing) as (watch, swap):
        maker = InputMaker(ask_input, watch.unobserved) if ask_input is not None else None
        try:
            compiled = _compile(contract, watch, function, arguments, default_backend)
            with _memory_noted(contract, watch):
                _run_passes(contract, watch, swap, compiled, arguments, maker=maker)
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
def watched_block(
    contract: Contract, *, root: str, fresh: bool, label_owner: OwnerLabel | None = None
) -> Iterator[Block]:
    """Watch a block that runs code of the test itself.

    A `fresh` one starts from an empty compile cache and the seed; else nothing is reset, and what
    was compiled before is warm.
    """
    begin = _fresh if fresh else _warm
    with begin(contract, root, label_owner, existing=True) as (watch, _):
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
            problem = twin.copy_state(inputs) if twin else None
            torch.manual_seed(contract.seed)
            watch.begin_step(step.index, pass_, step.sizes(), step.weight)
            compiled.outputs.returned.clear()
            with _step_ended(contract, watch, swap), _step_noted(contract, step, pass_):
                result = compiled.function(**compiled.values, **inputs)
                if contract.backward:
                    run_backward(result, compiled.outputs.returned)
            if twin is not None and problem is not None:
                watch.differed(step.index, pass_, problem, compared=False)
            elif twin is not None:
                with watch.unobserved():
                    difference = twin.compare(result, compiled.outputs, inputs)
                if difference is not None:
                    watch.differed(step.index, pass_, difference, compared=True)
            if contract.backward:
                clear_gradients(arguments.values())


@contextmanager
def _memory_noted(contract: Contract, watch: Watch) -> Iterator[None]:
    """Tell the watch by how much the process grew, if the contract bounds that."""
    if contract.max_memory_growth.value is None:
        yield
        return
    with memory_growth() as growth:
        yield
    watch.memory_growth = growth.size


@contextmanager
def _step_ended(contract: Contract, watch: Watch, swap: AsWritten) -> Iterator[None]:
    """Tell the watch that the step is over, however it ends."""
    makes_call = not contract.watch_only and contract.compiles is None
    error: BaseException | None = None
    started = perf_counter()
    try:
        yield
    except BaseException as raised:
        error = raised
        raise
    finally:
        watch.end_step(seconds=perf_counter() - started, error=error, makes_call=makes_call)
        swap.end()


@contextmanager
def _step_noted(contract: Contract, step: Step, pass_: int | None) -> Iterator[None]:
    """Note on what the test raises in which step it did (Python 3.11 and newer)."""
    try:
        yield
    except Exception as error:
        steps = len(contract.trace.steps)
        sizes = ", ".join(f"{name}={size}" for name, size in step.sizes().items())
        if (steps > 1 or sizes) and hasattr(error, "add_note"):
            in_pass = "" if pass_ is None else f", pass {pass_ + 1} of {contract.passes}"
            error.add_note(f"in step {step.index + 1} of {steps}{in_pass} of the trace: {sizes}")
        raise


@dataclass(frozen=True, slots=True)
class Compiled:
    """The function of a trace and its arguments, with regions in place of what is compiled.

    `source` is the function as it was; `outputs` notes what compiled arguments return.
    """

    source: Callable[..., Any]
    function: Callable[..., Any]
    values: dict[str, Any]
    outputs: Outputs


def _compile(
    contract: Contract,
    watch: Watch,
    function: Callable[..., Any],
    arguments: Mapping[str, Any],
    default_backend: str,
) -> Compiled:
    values, outputs = dict(arguments), Outputs()
    if contract.watch_only:
        return Compiled(function, function, values, outputs)
    backend = contract.backend_or(default_backend)
    options: dict[str, Any] = {"backend": backend, **contract.torch_options}
    if contract.compiles is None:
        return Compiled(function, torch.compile(function, **options), values, outputs)
    for name in contract.compiles:
        with watch.compiling(name):
            values[name] = torch.compile(values[name], **options)
        if contract.match_eager or contract.backward:
            values[name] = outputs.noting(values[name])
    return Compiled(function, function, values, outputs)


@contextmanager
def _fresh(
    contract: Contract, root: str, label_owner: OwnerLabel | None, *, existing: bool
) -> Iterator[tuple[Watch, AsWritten]]:
    """A watch over an empty compile cache, which is emptied again; and its swap of asserts."""
    with ExitStack() as stack:
        # A warning of torch's that a strict test run turns into an error would end a compile that
        # goes well in production, or the reset.
        stack.enter_context(warnings.catch_warnings())
        _do_not_raise_warnings_of_torch()
        stack.enter_context(torch.random.fork_rng(devices=_devices_in_use()))
        stack.enter_context(torch_adapter.without_profiles())
        torch_adapter.reset()
        stack.callback(torch_adapter.reset)
        yield stack.enter_context(_warm(contract, root, label_owner, existing=existing))


@contextmanager
def _warm(
    contract: Contract, root: str, label_owner: OwnerLabel | None, *, existing: bool
) -> Iterator[tuple[Watch, AsWritten]]:
    """A watch over the compile cache as it is; and its swap of asserts."""
    swap = AsWritten()
    operators = CustomOpCheck() if contract.check_custom_ops else None
    watch = Watch(
        root, existing=existing, around=swap, custom_ops=operators, label_owner=label_owner
    )
    swap.trouble = watch.trouble
    with ExitStack() as stack:
        stack.enter_context(_threads(contract))
        stack.callback(swap.end)
        stack.enter_context(watch)
        yield watch, swap


@contextmanager
def _threads(contract: Contract) -> Iterator[None]:
    with ExitStack() as stack:
        if contract.threads is not None:
            stack.callback(torch.set_num_threads, torch.get_num_threads())
            torch.set_num_threads(contract.threads)
        yield


def _devices_in_use() -> list[int]:
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
