"""One step of a trace: what is compiled of it, when it is over, what its errors are told with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import torch

from pytest_compilecheck.contract.model import Contract
from pytest_compilecheck.contract.trace.model import Step
from pytest_compilecheck.observe.as_written import AsWritten
from pytest_compilecheck.observe.running.eager_twin import Outputs
from pytest_compilecheck.observe.watch import Watch


@dataclass(frozen=True, slots=True)
class Compiled:
    """The function of a trace and its arguments, with regions in place of what is compiled.

    `source` is the function as it was; `outputs` notes what compiled arguments return.
    """

    source: Callable[..., Any]
    function: Callable[..., Any]
    values: dict[str, Any]
    outputs: Outputs


def compile_parts(
    contract: Contract,
    watch: Watch,
    function: Callable[..., Any],
    arguments: Mapping[str, Any],
    default_backend: str,
) -> Compiled:
    """The function with what the contract compiles of it; the parts tell the watch who they are."""
    values, outputs = dict(arguments), Outputs()
    if contract.watch_only:
        return Compiled(function, function, values, outputs)
    backend = contract.backend_or(default_backend)
    options: dict[str, Any] = {"backend": backend, **contract.torch_options}
    if contract.compiles is None:
        with watch.compiling(getattr(function, "__name__", "")):
            region = torch.compile(function, **options)
        return Compiled(function, region, values, outputs)
    for name in contract.compiles:
        with watch.compiling(name):
            values[name] = torch.compile(values[name], **options)
        if contract.match_eager or contract.backward:
            values[name] = outputs.noting(values[name])
    return Compiled(function, function, values, outputs)


@contextmanager
def step_ended(contract: Contract, watch: Watch, swap: AsWritten) -> Iterator[None]:
    """Tell the watch that the step is over, however it ends."""
    makes_call = not contract.watch_only and (contract.compiles is None or watch.made_nothing)
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
def step_noted(contract: Contract, step: Step, pass_: int | None) -> Iterator[None]:
    """Note on what the test raises in which step it did (Python 3.11 and newer)."""
    try:
        yield
    except Exception as error:
        steps = len(contract.trace.steps)
        sizes = ", ".join(f"{name}={size}" for name, size in step.sizes().items())
        if (steps > 1 or sizes) and hasattr(BaseException, "add_note"):
            in_pass = "" if pass_ is None else f", pass {pass_ + 1} of {contract.passes}"
            note = f"in step {step.index + 1} of {steps}{in_pass} of the trace: {sizes}"
            BaseException.add_note(error, note)  # the class may have another of that name
        raise
