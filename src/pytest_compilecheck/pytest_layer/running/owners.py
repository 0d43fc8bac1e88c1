"""Whose code a file is, as plugins say."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

from pytest_compilecheck.contract.parsers import OWNERS
from pytest_compilecheck.contract.plain import shown
from pytest_compilecheck.observe.values.observation import Owner
from pytest_compilecheck.pytest_layer import hook_calls

_ANSWERS = pytest.StashKey[dict[str, "Owner | hook_calls.HookError | None"]]()


def owner_label(config: pytest.Config) -> Callable[[str], Owner | None] | None:
    """What tells the owner of a file, None for no word of a plugin; None if no plugin has a word.

    A plugin is asked once for each file in a run. What it returns raises HookError for a file of
    which a plugin raised, or gave something else than an owner.
    """
    hook = config.hook.pytest_compilecheck_owner
    if not hook_calls.is_implemented(hook):
        return None
    answers = config.stash.setdefault(_ANSWERS, {})

    def label(file: str) -> Owner | None:
        path = os.path.abspath(file)
        if path not in answers:
            answers[path] = _asked(config, path)
        answer = answers[path]
        if isinstance(answer, hook_calls.HookError):
            raise answer
        return answer

    return label


def _asked(config: pytest.Config, path: str) -> Owner | hook_calls.HookError | None:
    hook = config.hook.pytest_compilecheck_owner
    try:
        answer = hook_calls.call(hook, config=config, file=Path(path))
    except hook_calls.HookError as error:
        return error
    if not _is_wrong(answer):
        return cast("Owner | None", answer)
    known = ", ".join(map(repr, OWNERS))
    first = hook_calls.who(hook, _is_wrong, config=config, file=Path(path))[:1]
    return hook_calls.wrong(hook, first, f"{shown(answer)} for {path}, and none of {known} or None")


def _is_wrong(answer: object) -> bool:
    return answer is not None and not (isinstance(answer, str) and answer in OWNERS)
