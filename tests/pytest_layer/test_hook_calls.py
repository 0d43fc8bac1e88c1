from __future__ import annotations

from types import ModuleType
from typing import Any

import pluggy
import pytest

from pytest_compilecheck.pytest_layer.hook_calls import (
    HookError,
    call,
    is_implemented,
    who,
    wrong,
)

NAME = "pytest_compilecheck_owner"


class Specs:
    @pluggy.HookspecMarker("project")(firstresult=True)
    def pytest_compilecheck_owner(self, file: str) -> str | None: ...


def caller(**plugins: Any) -> pluggy.HookCaller:
    """A hook, as plugins of these names implement it."""
    manager = pluggy.PluginManager("project")
    manager.add_hookspecs(Specs)
    for name, function in plugins.items():
        plugin = ModuleType(name)
        setattr(plugin, NAME, pluggy.HookimplMarker("project")(function))
        manager.register(plugin, name)
    hook: pluggy.HookCaller = getattr(manager.hook, NAME)
    return hook


def ask(hook: pluggy.HookCaller) -> Any:
    return call(hook, file="a.py")


def nothing(file: str) -> None: ...


def failing(file: str) -> str:
    return _deeper()


def _deeper() -> str:
    raise ValueError("no idea\nat all")


def skipping(file: str) -> str:
    pytest.skip("not now")


def test_the_first_answer_counts() -> None:
    hook = caller(one=nothing, two=lambda file: file, three=nothing)
    assert is_implemented(hook)
    assert ask(hook) == "a.py"


def test_nobody_implements_it() -> None:
    assert not is_implemented(caller())


@pytest.mark.parametrize(
    ("function", "why"), [(failing, "ValueError: no idea"), (skipping, "Skipped: not now")]
)
def test_whoever_raises_is_named_with_the_line(function: Any, why: str) -> None:
    line = function.__code__.co_firstlineno + 1
    with pytest.raises(HookError) as raised:
        ask(caller(one=nothing, two=function, three=nothing))
    assert str(raised.value) == f"the plugin two raised in its {NAME}: {why} ({__file__}:{line})"
    assert raised.value.__cause__ is not None


def test_what_ends_the_process_is_let_through() -> None:
    def interrupted(file: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ask(caller(one=interrupted))


def test_who_gave_a_wrong_answer_is_found() -> None:
    hook = caller(one=lambda file: "mine", two=failing, three=lambda: "own", four=nothing)
    assert who(hook, lambda answer: answer == "mine", file="a.py") == ["one"]
    assert who(hook, bool, file="a.py") == ["three", "one"]  # the last one is asked first
    error = wrong(hook, ["one"], "'mine', and no owner")
    assert str(error) == f"the plugin one: {NAME} gave 'mine', and no owner"
    error = wrong(hook, ["three", "one"], "two of a name")
    assert str(error) == f"the plugin three and the plugin one: {NAME} gave two of a name"


def test_who_answers_otherwise_now_is_one_of_them() -> None:
    error = wrong(caller(one=nothing, two=nothing), [], "3, and no owner")
    assert str(error) == f"the plugin one or the plugin two: {NAME} gave 3, and no owner"
