"""Stacks of user code around a compile: traced frames and live ones."""

from __future__ import annotations

import inspect
import linecache
import os
import sys
from types import CodeType, FrameType
from typing import Any

import pytest_compilecheck
from pytest_compilecheck.observe.events import StackFrame
from pytest_compilecheck.observe.source import character_column

_PACKAGE = os.path.dirname(os.path.abspath(pytest_compilecheck.__file__))
_WATCHER = os.path.join(_PACKAGE, "observe", "")
_DRIVER = os.path.join(_WATCHER, "running", "driver.py")
# Hooks before the converter pass for code of its file (`torch_adapter.as_converter`).
_MODULES = "pytest_compilecheck.observe."
_HOOKS = _MODULES + "hooks.install"


def arguments_of(frame: Any) -> dict[str, Any]:
    """The arguments of a frame that has just been entered, by name."""
    code = frame.f_code
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    names, values = code.co_varnames[:count], frame.f_locals
    return {name: values[name] for name in names if name in values}


def traced_frame(summary: Any) -> StackFrame:
    """A frame as Dynamo summarises it (`traceback.FrameSummary`, offsets in UTF-8 bytes)."""
    start, end = getattr(summary, "colno", None), getattr(summary, "end_colno", None)
    column = character_column(summary.filename, summary.lineno, start)
    end_column = character_column(summary.filename, summary.lineno, end)
    if not _ends_on_its_line(summary, column, end_column):
        end_column = None
    return StackFrame(
        file=summary.filename,
        line=summary.lineno,
        function=summary.name,
        column=column,
        end_column=end_column,
    )


def _ends_on_its_line(summary: Any, column: int | None, end_column: int | None) -> bool:
    """Whether the end is a column of the line that it begins in.

    Releases before 2.15 give no line for the end: an expression that goes on below shows by an end
    before its start, or by brackets that are open.
    """
    if column is None or end_column is None or end_column <= column:
        return False
    if getattr(summary, "end_lineno", None) is not None:
        return bool(summary.end_lineno == summary.lineno)
    text = linecache.getline(summary.filename, summary.lineno)[column - 1 : end_column - 1]
    return all(text.count(opened) == text.count(closed) for opened, closed in ("()", "[]", "{}"))


def of_trace_function(code: CodeType) -> bool:
    """Whether a function of `sys.settrace` or `sys.setprofile` runs this code about a region.

    Dynamo looks at its frames too: they are no part of what was handed to torch.compile.
    """
    watching = [each for each in (sys.gettrace(), sys.getprofile()) if each is not None]
    if not watching:
        return False
    codes = set(map(_code_of, watching))
    frame: FrameType | None = sys._getframe(1)
    while code not in codes and frame is not None:
        codes.add(_code_of(frame.f_trace))  # of this frame alone
        code, frame = frame.f_code, frame.f_back
    return code in codes


def _code_of(function: object) -> object:
    try:
        return getattr(function, "__code__", None)
    except Exception:  # noqa: BLE001 - it is anybody's, and nothing here may fail a compile
        return None


def live_frames(frame: FrameType | None) -> tuple[StackFrame, ...]:
    """Live frames outside the conversion under way, outer to inner.

    The conversion is the innermost `convert` frame of the hooks. The walk ends at whoever
    of this package made the call: what is beyond is the test runner and no part of the region.
    """
    while frame is not None and not is_conversion(frame):
        frame = frame.f_back
    found = []
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith(os.path.join(_PACKAGE, "")):
            if file == _DRIVER or not file.startswith(_WATCHER):
                break
        elif not _module(frame).startswith(_MODULES):
            found.append(StackFrame(file, frame.f_lineno, frame.f_code.co_name))
        frame = frame.f_back
    return tuple(reversed(found))


def is_conversion(frame: FrameType) -> bool:
    """Whether it is the frame of the hooks in which torch converts another one."""
    return frame.f_code.co_name == "convert" and _module(frame) == _HOOKS


def _module(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__"))
