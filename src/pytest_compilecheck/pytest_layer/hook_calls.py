"""Calls hooks that other plugins implement, and tells whose a mistake is."""

from __future__ import annotations

import traceback
from types import TracebackType
from typing import Any

import pluggy
import pytest

from pytest_compilecheck.observe.errors import told

# pytest.skip() and its like are no exceptions of the usual kind.
_FAILURES = (Exception, pytest.fail.Exception, pytest.skip.Exception, pytest.exit.Exception)


class HookError(Exception):
    """Another plugin made a mistake in a hook of ours; the message names it."""


def is_implemented(hook: pluggy.HookCaller) -> bool:
    """Whether a plugin has it."""
    return bool(hook.get_hookimpls())


def call(hook: pluggy.HookCaller, **arguments: Any) -> Any:
    """What the plugins answer.

    Raises:
        HookError: one of them raises.
    """
    try:
        return hook(**arguments)
    except _FAILURES as error:
        whose, place = _culprit(hook, error.__traceback__)
        raise HookError(f"{whose} raised in its {hook.name}: {told(error)}{place}") from error


def wrong(hook: pluggy.HookCaller, answer: str) -> HookError:
    """A hook gave what it may not give; `answer` says what, and what it should be."""
    return HookError(f"{plugins(hook)}: {hook.name} gave {answer}")


def plugins(hook: pluggy.HookCaller) -> str:
    """All that have the hook: which of them gave a wrong answer is not known."""
    names = dict.fromkeys(f"the plugin {each.plugin_name}" for each in hook.get_hookimpls())
    return " or ".join(names)


def _culprit(hook: pluggy.HookCaller, trace: TracebackType | None) -> tuple[str, str]:
    """The plugin whose function an error came through, the innermost, and its line."""
    names = {
        getattr(each.function, "__code__", None): each.plugin_name for each in hook.get_hookimpls()
    }
    for frame, line in reversed(list(traceback.walk_tb(trace))):
        if frame.f_code in names:
            place = f" ({frame.f_code.co_filename}:{line})"
            return f"the plugin {names[frame.f_code]}", place
    return plugins(hook), ""
