"""The policies of a contract, or those that the command line names in their place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import pytest

from pytest_compilecheck.contract.faults import ContractError, Fault, about
from pytest_compilecheck.contract.model import Contract
from pytest_compilecheck.contract.policies.combinations import check_policies_over_trace
from pytest_compilecheck.contract.policies.field import parse_policies
from pytest_compilecheck.contract.trace.shapes import Arguments

CHOSEN = pytest.StashKey[tuple[object, ...]]()
"""Policies as a person writes them in a contract."""


class ChosenPolicies:
    """A pytest plugin: all contracts of the run have these policies in place of their own."""

    def __init__(self, policies: Sequence[object]) -> None:
        """Take them as a contract has them."""
        self._policies = tuple(policies)

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        """Leave them where contracts are run."""
        config.stash[CHOSEN] = self._policies


def contract_with_policies(item: pytest.Item, contract: Contract) -> Contract:
    """The contract of an item, with the policies of the run, if it names any.

    Raises:
        pytest.fail.Exception: they are no policies, or none for this trace.
    """
    chosen = item.config.stash.get(CHOSEN, None)
    if chosen is None:
        return contract
    try:
        return _with_policies(contract, chosen, item.name)
    except ContractError as error:
        raise pytest.fail.Exception(str(error), pytrace=False) from None


def _with_policies(contract: Contract, chosen: Sequence[object], subject: str) -> Contract:
    faults: list[Fault] = []

    def report(field: str | None, message: str) -> None:
        faults.append(Fault(about(field, message) if field else message))

    policies = parse_policies(list(chosen), partial(report, "policies"))
    preferred = contract.preferred_policy
    kept = preferred if preferred in [policy.name for policy in policies] else None
    changed = replace(contract, policies=policies, preferred_policy=kept)
    if not faults:
        arguments = Arguments(subject=subject, names=None, fixtures=None)
        check_policies_over_trace(changed, arguments, report)
    if faults:
        raise ContractError(faults, subject)
    return changed
