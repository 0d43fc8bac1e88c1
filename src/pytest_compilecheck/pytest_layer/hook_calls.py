"""Calls hooks that other plugins implement, and tells whose a mistake is."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Mapping
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


def who(hook: pluggy.HookCaller, is_it: Callable[[Any], object], /, **arguments: Any) -> list[str]:
    """The plugins whose answer `is_it`, in the order of the calls; each is asked again, alone."""
    return [
        each.plugin_name
        for each in reversed(hook.get_hookimpls())
        if not (each.wrapper or each.hookwrapper) and is_it(_alone(each, arguments))
    ]


def wrong(hook: pluggy.HookCaller, names: Iterable[str], answer: str) -> HookError:
    """Plugins gave what they may not give; `answer` says what, and what it should be."""
    return HookError(f"{_named(names, ' and ') or _plugins(hook)}: {hook.name} gave {answer}")


def _alone(plugin: pluggy.HookImpl, arguments: Mapping[str, Any]) -> Any:
    """What one plugin answers; None where it raises now."""
    try:
        return plugin.function(*(arguments[name] for name in plugin.argnames))
    except _FAILURES:
        return None


def _plugins(hook: pluggy.HookCaller) -> str:
    """All that have the hook: which of them made a mistake is not known."""
    return _named((each.plugin_name for each in hook.get_hookimpls()), " or ")


def _named(plugins: Iterable[str], between: str) -> str:
    return between.join(dict.fromkeys(f"the plugin {each}" for each in plugins))


def _culprit(hook: pluggy.HookCaller, trace: TracebackType | None) -> tuple[str, str]:
    """The plugin whose function an error came through, the innermost, and its line."""
    names = {
        getattr(each.function, "__code__", None): each.plugin_name for each in hook.get_hookimpls()
    }
    for frame, line in reversed(list(traceback.walk_tb(trace))):
        if frame.f_code in names:
            place = f" ({frame.f_code.co_filename}:{line})"
            return f"the plugin {names[frame.f_code]}", place
    return _plugins(hook), ""
