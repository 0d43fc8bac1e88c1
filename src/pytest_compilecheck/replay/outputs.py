"""Holds the outputs of a policy against those of an eager run of the inputs as they are."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_compilecheck.contract.trace.model import Step
from pytest_compilecheck.observe.errors import told
from pytest_compilecheck.observe.running.eager_twin import EagerTwin
from pytest_compilecheck.observe.running.leaves import IncomparableError
from pytest_compilecheck.replay.cutting import difference_after_cut
from pytest_compilecheck.replay.runner import Runner


def mismatch(runner: Runner, steps: Iterable[Step]) -> str:
    """The first difference, with its step; "" for none."""
    for step in steps:
        found = _of_step(runner, step)
        if found:
            sizes = step.dims_text()
            return f"{found} (step {step.index}: {sizes})" if sizes else f"{found}"
    return ""


def _of_step(runner: Runner, step: Step) -> str | None:
    try:
        return _difference(runner, step)
    except IncomparableError as error:
        return f"not known: {error}"


def _difference(runner: Runner, step: Step) -> str | None:
    contract, compiled = runner.contract, runner.compiled
    twin = EagerTwin(contract, compiled.source, runner.arguments)
    twin.copy_state(runner.shaping.unshaped(step))
    result = runner.run(step, 1).result
    returned = list(compiled.outputs.returned)
    rounded = runner.shaping.rounded(step)
    with runner.watch.unobserved():
        try:
            expected, inner = twin.run()
        except IncomparableError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever the code under test raises
            return f"the unpadded, eager run raised {told(error)}"
        inside = "outputs of what is compiled"
        return difference_after_cut(expected, result, rounded, contract) or difference_after_cut(
            inner, returned, rounded, contract, inside
        )
