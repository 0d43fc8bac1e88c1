"""A contract's trace under one shape policy."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

import torch

from pytest_compilecheck.contract.model import Contract
from pytest_compilecheck.contract.policies.policy import Policy
from pytest_compilecheck.contract.trace.inputs import tensors
from pytest_compilecheck.observe.errors import message_of, told
from pytest_compilecheck.observe.running import memory
from pytest_compilecheck.observe.running.fresh import fresh_watch
from pytest_compilecheck.observe.running.input_maker import Ask
from pytest_compilecheck.observe.running.step import compile_parts
from pytest_compilecheck.observe.surroundings import Surroundings
from pytest_compilecheck.policies.causes import explained, memory_steps
from pytest_compilecheck.policies.measured import PolicyRun
from pytest_compilecheck.replay.device import Device
from pytest_compilecheck.replay.errors import PolicyError
from pytest_compilecheck.replay.figures import figures
from pytest_compilecheck.replay.first_pass import FirstPass, run_first_pass
from pytest_compilecheck.replay.guard_time import guard_seconds
from pytest_compilecheck.replay.outputs import mismatch
from pytest_compilecheck.replay.repeats import repeat
from pytest_compilecheck.replay.runner import Runner, Told
from pytest_compilecheck.replay.shaping import Shaping, under_policy


def replayed(
    contract: Contract,
    policy: Policy,
    function: Callable[..., Any],
    arguments: Mapping[str, Any],
    *,
    default_backend: str,
    around: Surroundings,
    ask_input: Ask | None = None,
    budget: float,
    progress: Told = lambda *_: None,
) -> PolicyRun:
    """Run the trace under a policy from an empty compile cache, cold and warm, and measure it.

    The arguments are those of `run_watched`; `budget` is in seconds, for warm repeats beyond the
    least number. What goes wrong is the `error` of what is returned, with what was measured until
    then.
    """
    under = under_policy(contract, policy)
    if policy.bucket is not None:
        under = replace(under, match_eager=True)
    load_backend(under, default_backend)
    done, device = FirstPass(), Device()
    device.reset_peak()
    steps = contract.trace.steps
    with fresh_watch(under, around) as watch:
        try:
            if watch.doubts:  # its figures would be compared with those of other policies
                raise PolicyError(f"its figures are unknown, because {watch.doubts[0].why}")
            compiled = compile_parts(under, watch, function, arguments, default_backend)
            shaping = Shaping(contract, policy, ask_input, watch.unobserved)
            runner = Runner(
                contract=under,
                compiled=compiled,
                watch=watch,
                swap=around.swap,
                shaping=shaping,
                arguments=arguments,
                device=device,
            )
            run_first_pass(runner, steps, done, progress)
            repeats = repeat(runner, steps, budget, progress)
            peaks = memory.peak(), device.peak()
            progress("guards and outputs", 0, 1)
            guards = guard_seconds(runner, steps)
            differs = mismatch(runner, steps) if under.match_eager else ""
        except PolicyError as error:
            return PolicyRun(policy=policy.name, calls=tuple(done.calls), error=message_of(error))
        except Exception as error:  # noqa: BLE001 - what became of the policy
            return PolicyRun(policy=policy.name, calls=tuple(done.calls), error=told(error))
    warm = repeats.warm(steps)
    calls = explained(done.calls, warm=warm)
    return PolicyRun(
        policy=policy.name,
        **figures(done, repeats, steps),
        guard_seconds=guards,
        peak_memory=peaks[0],
        peak_device_memory=peaks[1],
        calls=calls,
        warm=warm,
        memory_steps=memory_steps(calls),
        mismatch=differs,
    )


def load_backend(contract: Contract, default: str) -> None:
    """Compile a trifle, so that loading the backend is no part of what the first call costs.

    It is the same for all policies, and takes seconds. A backend that is a function of the user's
    would count the trifle as a graph of his: it is not called.
    """
    backend = contract.backend_or(default)
    if not isinstance(backend, str):
        return
    specs = tensors(contract.trace.steps[0].inputs).values()
    device = next((spec.device for spec in specs if spec.device is not None), None)
    with warnings.catch_warnings(), suppress(Exception):  # what is wrong shows in the first step
        warnings.simplefilter("ignore")
        torch.compile(lambda x: x + 1, backend=backend)(torch.ones(8, device=device))
