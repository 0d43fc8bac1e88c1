"""Runs single steps of a contract under a policy, watched, and takes the time of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import torch

from pytest_compilecheck.contract.model import Contract
from pytest_compilecheck.contract.trace.model import Step
from pytest_compilecheck.observe.as_written import AsWritten
from pytest_compilecheck.observe.errors import told
from pytest_compilecheck.observe.running.eager_twin import clear_gradients, run_backward
from pytest_compilecheck.observe.running.step import Compiled, step_ended
from pytest_compilecheck.observe.values.observation import Observation, TimelineEntry
from pytest_compilecheck.observe.watch import Watch
from pytest_compilecheck.replay.device import Device
from pytest_compilecheck.replay.errors import PolicyError
from pytest_compilecheck.replay.shaping import Shaping


@dataclass(frozen=True, slots=True)
class StepRun:
    """One run of a step: what was seen of it, what it returned, and its inputs.

    `rest` are seconds after its last call that belong to the request: the backward that the
    contract asks for, and what the device had left to do.
    """

    step: Step
    seen: Observation
    rest: float
    result: Any
    inputs: dict[str, Any]

    @property
    def calls(self) -> tuple[TimelineEntry, ...]:
        """Its calls."""
        return self.seen.timeline

    @property
    def seconds(self) -> float:
        """Seconds of all its calls, and what came after them."""
        return sum(call.seconds for call in self.calls) + self.rest

    @property
    def compiled_something(self) -> bool:
        """Whether a call of it was no warm one."""
        return any(call.kind not in ("hit", "fallback") for call in self.calls)

    def let_go(self) -> StepRun:
        """The same without inputs and result, whose memory is no part of what the step keeps."""
        return replace(self, result=None, inputs={})


class Runner:
    """Runs steps, each time with fresh inputs of the same values."""

    def __init__(
        self,
        *,
        contract: Contract,
        compiled: Compiled,
        watch: Watch,
        swap: AsWritten,
        shaping: Shaping,
        arguments: Mapping[str, Any],
        device: Device,
    ) -> None:
        """Take what is run and who watches; `arguments` are as they were before compiling."""
        self.contract = contract
        self.compiled = compiled
        self.watch = watch
        self.shaping = shaping
        self.arguments = arguments
        self.device = device
        self._swap = swap

    def run(self, step: Step, pass_: int) -> StepRun:
        """Run a step; what its calls took is in what was seen of them.

        Raises:
            PolicyError: the inputs cannot be made as the policy asks, or the step raises.
        """
        inputs = self.shaping.inputs(step)
        torch.manual_seed(self.contract.seed)
        self.watch.begin_step(step.index, pass_, step.sizes(), step.weight)
        self.compiled.outputs.returned.clear()
        self.device.wait()
        try:
            result, rest = self._timed(inputs)
        except Exception as error:
            raise PolicyError(self._why(step, error)) from error
        if self.contract.backward:
            clear_gradients(self.arguments.values())
        return StepRun(step, self.watch.cut(), rest, result, inputs)

    def _timed(self, inputs: dict[str, Any]) -> tuple[Any, float]:
        """What the function gives, and the seconds that came after it."""
        compiled = self.compiled
        with step_ended(self.contract, self.watch, self._swap):
            result = compiled.function(**compiled.values, **inputs)
            returned = perf_counter()
            if self.contract.backward:
                run_backward(result, compiled.outputs.returned)
            self.device.wait()
            return result, perf_counter() - returned

    def _why(self, step: Step, error: Exception) -> str:
        steps, sizes = len(self.contract.trace.steps), step.dims_text()
        where = f"step {step.index + 1} of {steps}" + (f" ({sizes})" if sizes else "")
        return f"{where} raised {told(error)}"


Told = Callable[[str, int, int], None]
"""Hears what is done: "first pass", how many steps of it, of how many."""
