"""Runs a contract item and turns what was seen into its record."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_compilecheck.contract.model import Contract
from pytest_compilecheck.judge.outcome import Outcome
from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.judge.verdict import Verdict
from pytest_compilecheck.judge.violation import ContractViolation
from pytest_compilecheck.observe.errors import told
from pytest_compilecheck.pytest_layer import settings
from pytest_compilecheck.pytest_layer.collecting.collection import contract_of, refuse_backend
from pytest_compilecheck.pytest_layer.extra_bounds import declared_bounds
from pytest_compilecheck.pytest_layer.installed import torch_version
from pytest_compilecheck.pytest_layer.node_id import node_id
from pytest_compilecheck.pytest_layer.policies.chosen import contract_with_policies
from pytest_compilecheck.pytest_layer.policies.replays import REPLAY
from pytest_compilecheck.pytest_layer.running.expected import is_expected_to_fail
from pytest_compilecheck.pytest_layer.running.made_inputs import input_asker
from pytest_compilecheck.pytest_layer.running.packages import packages_of
from pytest_compilecheck.pytest_layer.running.surroundings import surroundings

if TYPE_CHECKING:
    from pytest_compilecheck.contract.policies.policy import Policy
    from pytest_compilecheck.observe.running.driver import Run
    from pytest_compilecheck.observe.running.input_maker import Ask
    from pytest_compilecheck.observe.running.target import Callee
    from pytest_compilecheck.policies.measured import Comparison, PolicyRun
    from pytest_compilecheck.replay.runner import Told

RECORD = pytest.StashKey[ContractRecord]()
PARTS = pytest.StashKey[list[ContractRecord]]()
"""Records of the blocks that an item watches itself, in the order in which they ended."""

_NOT_CALLABLE = (
    "compiles={0!r}: the value of this argument is of type {1}, and torch.compile takes a module "
    "or a function"
)


def run_item(item: pytest.Function) -> None:
    """Run the trace of a marked test: watched with --compilecheck, else eagerly.

    Raises:
        ContractViolation: the contract does not hold.
        BaseException: whatever the test itself raised.
    """
    contract = contract_of(item)
    assert contract is not None
    arguments = _fixture_values(item, contract)
    for name in contract.compiles or ():
        if not callable(arguments[name]):
            kind = type(arguments[name]).__name__
            pytest.fail(_NOT_CALLABLE.format(name, kind), pytrace=False)
    ask = input_asker(item, item.obj)
    _run(item, contract, contract, item.obj, arguments, ask_input=ask)


def run_made(item: pytest.Item, contract: Contract, callee: Callee) -> None:
    """Run the trace on what a contract names, which no test calls: watched or eagerly.

    Raises:
        ContractViolation: the contract does not hold.
        BaseException: whatever the call raised.
    """
    from pytest_compilecheck.observe.running.target import compiled_target, run_target

    ask = input_asker(item, callee.function)
    driven = compiled_target(contract)
    _run(item, contract, driven, run_target, callee.arguments, ask_input=ask)


def unknown_backend(contract: Contract, default: str) -> tuple[str, list[str]] | None:
    """The backend of a contract if torch does not know it, with the names of all that it knows."""
    from pytest_compilecheck.observe.torch_adapter import backends_if_unknown

    backend = contract.backend_or(default)
    if contract.watch_only or not isinstance(backend, str):
        return None
    known = backends_if_unknown(backend)
    return None if known is None else (backend, known)


def _run(
    item: pytest.Item,
    contract: Contract,
    driven: Contract,
    function: Callable[..., Any],
    arguments: Mapping[str, Any],
    *,
    ask_input: Ask | None,
) -> None:
    """Hold a function to a contract; `driven` is the contract as the driver takes it."""
    from pytest_compilecheck.observe.running.driver import run_eagerly, run_watched

    chosen = item.config.stash[settings.KEY]
    if not chosen.active:
        run_eagerly(driven, function, arguments, ask_input=ask_input)
        return
    unknown = unknown_backend(contract, chosen.backend)
    if unknown is not None:
        refuse_backend(item, *unknown)
    contract = contract_with_policies(item, contract)
    how: dict[str, Any] = {
        "default_backend": chosen.backend,
        "around": surroundings(item.config),
        "ask_input": ask_input,
    }

    def replayed(policy: Policy, progress: Told) -> PolicyRun:
        from pytest_compilecheck.replay.replay import replayed

        budget = chosen.policies_seconds
        return replayed(
            driven, policy, function, arguments, budget=budget, progress=progress, **how
        )

    replay = item.config.stash.get(REPLAY, None)
    if replay is not None:
        replay(contract.policies, replayed)
        return
    run = run_watched(driven, function, arguments, **how)
    policies = None
    if chosen.policies and contract.policies and run.error is None:
        from pytest_compilecheck.pytest_layer.policies.measure import compared

        policies = compared(item, contract, replayed)
    conclude(item, contract, run, values=arguments.values(), policies=policies)


def conclude(
    item: pytest.Item,
    contract: Contract,
    run: Run,
    part: str | None = None,
    values: Iterable[object] = (),
    *,
    policies: Comparison | None = None,
) -> None:
    """Keep the record of a run, or of a block in it, and fail if the code or the contract failed.

    `values` are what the code was given: the packages that they are of are recorded. `policies` is
    what was measured of the contract's shape policies.

    Raises:
        ContractViolation: the contract does not hold.
        BaseException: what the code itself raised.
    """
    from pytest_compilecheck.report.summary_line import headline

    __tracebackhide__ = True
    chosen = item.config.stash[settings.KEY]
    record = _judged(item, contract, run, part, policies)
    verdict = record.verdict
    broke = not verdict.holds and (
        run.error is None or run.refused or _is_constraint_violation(run, verdict)
    )
    record = replace(
        record,
        outcome=_outcome(run, broke=broke, warn=chosen.warn),
        verdict=verdict if broke or run.error is None else Verdict(violations=()),
        # What torch raises in full-graph mode is told by the violation, which says more.
        error=None if broke else record.error,
        packages=packages_of(values, run.observation),
    )
    if part is None:
        item.stash[RECORD] = record
    else:
        item.stash.setdefault(PARTS, []).append(record)
    # One that is expected to fail does so under `--compilecheck-warn` too: it fails no run.
    if broke and (not chosen.warn or is_expected_to_fail(item)):
        raise ContractViolation(headline(record), record) from None
    if run.error is not None and not broke:
        raise run.error


def _judged(
    item: pytest.Item,
    contract: Contract,
    run: Run,
    part: str | None,
    policies: Comparison | None,
) -> ContractRecord:
    """The record of a run under its contract and the baseline, with an outcome still to be told."""
    from pytest_compilecheck.judge.judge import judge

    chosen = item.config.stash[settings.KEY]
    record = ContractRecord(
        id=node_id(item),
        part=part,
        outcome="passed",
        contract=contract.to_dict(),
        observed=run.observation,
        verdict=judge(
            contract,
            run.observation,
            torch_version(),
            strict=chosen.strict,
            declared=declared_bounds(item) if contract.extra else {},
            policies=policies,
        ),
        policies=policies,
        error=None if run.error is None else told(run.error),
    )
    if chosen.baseline is None or run.error is not None:
        return record
    from pytest_compilecheck.pytest_layer.ending.ratchet import KEY

    return item.config.stash[KEY].held(item, record)


def _outcome(run: Run, *, broke: bool, warn: bool) -> Outcome:
    if broke:
        return "warned" if warn else "failed"
    if isinstance(run.error, pytest.skip.Exception):
        return "skipped"
    return "passed" if run.error is None else "failed"


def _is_constraint_violation(run: Run, verdict: Verdict) -> bool:
    """Whether the error is torch's word for what a violated `dynamic_dims` says better."""
    failed = any(entry.failed_to_compile for entry in run.observation.timeline)
    return failed and any(violation.bound == "dynamic_dims" for violation in verdict.violations)


def _fixture_values(item: pytest.Function, contract: Contract) -> dict[str, Any]:
    made = contract.trace.steps[0].inputs
    parameters = inspect.signature(item.obj).parameters
    values = {name: item.funcargs[name] for name in parameters if name in item.funcargs}
    for name in contract.compiles or ():  # may be left to its default, which is compiled then
        values.setdefault(name, parameters[name].default)
    return {name: value for name, value in values.items() if name not in made}
