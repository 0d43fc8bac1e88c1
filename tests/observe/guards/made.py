"""Guards, scopes and frames made by hand."""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType
from typing import Any

from pytest_compilecheck.observe.guards.frame import Frame, Remembered
from pytest_compilecheck.observe.guards.names import Names
from pytest_compilecheck.observe.guards.scope import Scope
from pytest_compilecheck.observe.guards.tree import Guard


def guard(
    kind: str, source: str, *texts: str, holds: Callable[[Any], bool] = lambda _: False
) -> Guard:
    """A check of a class of torch's name."""
    members = {
        "verbose_code_parts": lambda _: list(texts),
        "__call__": lambda _, value: holds(value),
    }
    return Guard(source, type(kind, (), members)())


def scope(**local: Any) -> Scope:
    """The names of a frame with these locals, in a module with the global GAIN."""
    return Scope({"L": local, "G": {"GAIN": 2.0, "__import_torch_dot_nn": None}})


def no_code() -> None:
    """The function of a frame without closure variables."""


def frame(
    before: Remembered | None = None, /, code: CodeType = no_code.__code__, **local: Any
) -> Frame:
    """What is at hand where a guard fails in a frame with these locals."""
    names = scope(**local)
    return Frame(scope=names, names=Names(code, names), before=before or Remembered())
