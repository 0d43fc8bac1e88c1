"""The bounds that plugins declare, by name."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

import pytest

from pytest_compilecheck.contract.faults import ContractError
from pytest_compilecheck.contract.plain import shown
from pytest_compilecheck.contract.read import Layer
from pytest_compilecheck.judge.extra import ExtraBound
from pytest_compilecheck.pytest_layer import hook_calls

_WANTED = "and not a list of ExtraBound (from pytest_compilecheck import ExtraBound)"


def declared_bounds(where: pytest.Item | pytest.Collector | pytest.Config) -> dict[str, ExtraBound]:
    """Those that a contract may have; of conftest.py files only those around a test are asked.

    Raises:
        HookError: a plugin raises, gives something else, or declares a bound that another has.
    """
    if isinstance(where, pytest.Config):
        config, hook = where, where.hook.pytest_compilecheck_bounds
    else:
        config, hook = where.config, where.ihook.pytest_compilecheck_bounds
    found: dict[str, ExtraBound] = {}
    for answer in hook_calls.call(hook, config=config):
        if not isinstance(answer, Iterable):
            raise hook_calls.wrong(hook, f"{shown(answer)}, {_WANTED}")
        for each in answer:
            if not isinstance(each, ExtraBound):
                raise hook_calls.wrong(hook, f"{shown(each)}, {_WANTED}")
            if each.name in found:
                raise hook_calls.wrong(
                    hook, f"two bounds of the name {each.name!r}: rename one of them"
                )
            plugin = getattr(each.figure, "__module__", None) or hook_calls.plugins(hook)
            found[each.name] = dataclasses.replace(each, plugin=plugin)
    return found


def names_for(
    layers: Sequence[Layer], where: pytest.Item | pytest.Collector | pytest.Config, subject: str
) -> frozenset[str]:
    """Names of the bounds that plugins declare, if a contract has some; they are not asked else.

    Raises:
        ContractError: a plugin makes a mistake.
    """
    places = [place for fields, place in layers if "extra" in fields]
    if not places:
        return frozenset()
    try:
        return frozenset(declared_bounds(where))
    except hook_calls.HookError as error:
        raise ContractError([places[-1].fault("extra", str(error))], subject) from error
