from __future__ import annotations

import linecache
import os
import sys
from collections.abc import Callable
from traceback import FrameSummary
from types import FrameType
from typing import Any

import pytest

import pytest_compilecheck
from pytest_compilecheck.observe.events import StackFrame
from pytest_compilecheck.observe.hooks import install
from pytest_compilecheck.observe.hooks.frames import (
    arguments_of,
    live_frames,
    of_trace_function,
    traced_frame,
)
from pytest_compilecheck.observe.recording import recorder
from pytest_compilecheck.observe.running import driver

PACKAGE = os.path.dirname(pytest_compilecheck.__file__)


def test_arguments_are_all_that_a_call_gave_and_nothing_else() -> None:
    def function(a: int, /, b: int, *rest: int, c: int = 3, **more: int) -> dict[str, Any]:
        local = 5
        assert local
        return arguments_of(sys._getframe())

    given = function(1, 2, 7, d=4)
    assert given == {"a": 1, "b": 2, "rest": (7,), "c": 3, "more": {"d": 4}}


def test_an_argument_that_a_closure_shares_is_one() -> None:
    def function(a: int) -> dict[str, Any]:
        inner = lambda: a  # noqa: E731
        assert inner() == 1
        return arguments_of(sys._getframe())

    assert function(1) == {"a": 1}


def test_an_argument_that_was_deleted_is_left_out() -> None:
    def function(a: int, b: int) -> dict[str, Any]:
        del a
        return arguments_of(sys._getframe())

    assert function(1, 2) == {"b": 2}


def summary(line: int, **more: Any) -> FrameSummary:
    return FrameSummary("<model>", line, "forward", lookup_line=False, **more)


@pytest.fixture
def _model(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ["y = 'ä' + float(x)\n", "if y:\n"]
    monkeypatch.setitem(linecache.cache, "<model>", (0, None, lines, "<model>"))


@pytest.mark.skipif(sys.version_info < (3, 11), reason="code has no columns")
@pytest.mark.usefixtures("_model")
def test_columns_of_a_traced_frame_count_characters_from_one() -> None:
    offsets = {"colno": 11, "end_colno": 19}
    assert traced_frame(summary(1, end_lineno=1, **offsets)) == StackFrame(
        "<model>", 1, "forward", column=11, end_column=19
    )
    # Of what goes on in another line only the start is known.
    assert traced_frame(summary(1, end_lineno=2, **offsets)).end_column is None
    assert traced_frame(summary(1, end_lineno=2, **offsets)).column == 11


@pytest.mark.usefixtures("_model")
def test_a_summary_without_columns() -> None:
    assert traced_frame(summary(2)) == StackFrame("<model>", 2, "forward")


def stack(*frames: tuple[str, str]) -> FrameType:
    """The innermost of live frames with these files and names, given from outer to inner."""
    found: list[FrameType] = []

    def innermost() -> None:
        found.append(sys._getframe())

    inner: Callable[[], None] = innermost
    for file, name in reversed(frames):
        source = f"def {name}():\n    call_inner()\n"
        module = install.__name__ if name == "convert" else "model"
        namespace: dict[str, Any] = {"call_inner": inner, "__name__": module}
        exec(compile(source, file, "exec"), namespace)
        inner = namespace[name]
    inner()
    return found[0]


def names(frames: tuple[StackFrame, ...]) -> list[str]:
    return [frame.function for frame in frames]


DRIVER = (driver.__file__, "run_watched")
CONVERT = ("/torch/convert_frame.py", "convert")  # the hook passes for one of that file
TRACING = ("/torch/convert_frame.py", "compile_inner")


def test_live_frames_stand_outside_the_conversion() -> None:
    frame = stack(("/project/a.py", "outer"), ("/project/b.py", "inner"), CONVERT, TRACING)
    assert live_frames(frame)[-2:] == (
        StackFrame("/project/a.py", 2, "outer"),
        StackFrame("/project/b.py", 2, "inner"),
    )


def test_they_end_where_the_package_made_the_call() -> None:
    frame = stack(("/pytest.py", "main"), DRIVER, ("/project/a.py", "test"), CONVERT)
    assert names(live_frames(frame)) == ["test"]


def test_the_watcher_itself_is_left_out() -> None:
    counted = (recorder.__file__, "counted")
    frame = stack(DRIVER, ("/project/a.py", "test"), counted, ("/project/b.py", "hook"), CONVERT)
    assert names(live_frames(frame)) == ["test", "hook"]


def test_a_package_with_a_longer_name_is_not_ours() -> None:
    models = (PACKAGE + "_models/mlp.py", "forward")
    assert names(live_frames(stack(DRIVER, models, CONVERT))) == ["forward"]


def test_of_two_conversions_the_inner_one_counts() -> None:
    frame = stack(DRIVER, CONVERT, ("/project/a.py", "hook"), CONVERT, TRACING)
    assert names(live_frames(frame)) == ["hook"]


def test_outside_a_conversion_there_are_none() -> None:
    assert live_frames(stack(("/project/a.py", "outer"))) == ()


@pytest.mark.parametrize("set_function", [sys.settrace, sys.setprofile])
def test_code_of_a_trace_function_is_told_from_what_it_traces(
    set_function: Callable[[Any], None],
) -> None:
    found: dict[str, bool] = {}

    def inner() -> None:
        found["called by it"] = of_trace_function(sys._getframe().f_code)

    def watch(*_: object) -> None:
        if not found:
            found["itself"] = of_trace_function(sys._getframe().f_code)
            inner()

    def traced() -> bool:
        return of_trace_function(sys._getframe().f_code)

    before = sys.gettrace(), sys.getprofile()
    try:
        set_function(watch)
        result = traced()
    finally:
        sys.settrace(before[0])
        sys.setprofile(before[1])
    assert found == {"itself": True, "called by it": True}
    assert not result
