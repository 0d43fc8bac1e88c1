"""The bounds that plugins declare, by name."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Sequence
from functools import partial

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
    for given in hook_calls.call(hook, config=config):
        answer = tuple(given) if isinstance(given, Iterable) else given
        fault = _fault(answer)
        if fault:
            first = hook_calls.who(hook, _fault, config=config)[:1]
            raise hook_calls.wrong(hook, first, f"{fault}, {_WANTED}")
        for each in answer:
            if each.name in found:
                whose = hook_calls.who(hook, partial(_has, each.name), config=config)
                told = f"two bounds of the name {each.name!r}: rename one of them"
                raise hook_calls.wrong(hook, whose, told)
            found[each.name] = dataclasses.replace(each, plugin=_whose(each, config))
    return found


def _fault(answer: object) -> str:
    """What of an answer is no bound, "" for nothing."""
    if answer is None:
        return ""
    if not isinstance(answer, Iterable):
        return shown(answer)
    return next((shown(each) for each in answer if not isinstance(each, ExtraBound)), "")


def _has(name: str, answer: object) -> bool:
    bounds = answer if isinstance(answer, Iterable) else ()
    return any(isinstance(each, ExtraBound) and each.name == name for each in bounds)


def _whose(bound: ExtraBound, config: pytest.Config) -> str:
    """Who declares it: a module, or the file of a conftest.py, of which there are many."""
    code = getattr(bound.figure, "__code__", None)
    if code is not None and os.path.basename(code.co_filename) == "conftest.py":
        return os.path.relpath(code.co_filename, config.rootpath).replace(os.sep, "/")
    return getattr(bound.figure, "__module__", None) or ""


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
