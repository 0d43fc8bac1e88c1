"""The formats that the reports of a run are to be written in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial

import pytest

from pytest_compilecheck.contract.plain import shown
from pytest_compilecheck.pytest_layer import hook_calls
from pytest_compilecheck.report.formats import FORMATS, Format
from pytest_compilecheck.report.installed_formats import FormatError, chosen_format


def formats_for(config: pytest.Config, names: Iterable[str]) -> dict[str, Format]:
    """Each format by its name; plugins are asked only for what is not built in.

    Raises:
        pytest.UsageError: there is no such format, or who declares it made a mistake.
    """
    wanted = list(names)
    try:
        others = {} if FORMATS.keys() >= set(wanted) else _declared(config)
        return {name: chosen_format(name, others) for name in wanted}
    except (FormatError, hook_calls.HookError) as error:
        raise pytest.UsageError(f"--compilecheck-report: {error}") from None


def _declared(config: pytest.Config) -> dict[str, Format]:
    hook = config.hook.pytest_compilecheck_formats
    found: dict[str, Format] = {}
    for answer in hook_calls.call(hook, config=config):
        fault = _fault(answer)
        if fault:
            first = hook_calls.who(hook, _fault, config=config)[:1]
            raise hook_calls.wrong(hook, first, fault)
        for name in answer:
            if name in FORMATS or name in found:
                whose = hook_calls.who(hook, partial(_has, name), config=config)
                told = f"the format {name!r}, which there is already: choose another name"
                raise hook_calls.wrong(hook, whose, told)
        found |= answer
    return found


def _fault(answer: object) -> str:
    """What is wrong with an answer, "" for nothing."""
    if answer is None:
        return ""
    if not isinstance(answer, Mapping):
        return f"{shown(answer)}, and no dict of names to Format"
    for name, each in answer.items():
        if not isinstance(name, str) or not isinstance(each, Format):
            return f"{shown(each)} for {shown(name)}, and no Format"
    return ""


def _has(name: str, answer: object) -> bool:
    return isinstance(answer, Mapping) and name in answer
