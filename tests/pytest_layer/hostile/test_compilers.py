"""Code that replaces the compiler, or watches its own execution."""

from __future__ import annotations

import cProfile
import sys

import pytest

from pytest_layer.hostile.cases import Case, hold_cases
from pytest_layer.projects import Project

REPLACED = {
    "by nothing, in a fixture": Case(
        """
        @pytest.fixture
        def uncompiled(monkeypatch):
            monkeypatch.setattr(torch, "compile", lambda function, **options: function)

        @compile_contract(shapes=[(3,)])
        def test_it(uncompiled, x):
            return x + 1
        """,
        "failed",
        "something replaced torch.compile",
        {"graphs": 0, "kinds": ["fallback", "fallback"]},
    ),
    "by nothing, where a model is compiled": Case(
        """
        @pytest.fixture
        def uncompiled(monkeypatch):
            monkeypatch.setattr(torch, "compile", lambda function, **options: function)

        @compile_contract(shapes=[(3,)], compiles="model")
        def test_it(uncompiled, model, x):
            model(x)
        """,
        "failed",
        "something replaced torch.compile",
        {"graphs": 0, "kinds": ["fallback", "fallback"]},
    ),
    "by nothing for one of two": Case(
        """
        real = torch.compile

        @pytest.fixture
        def other(monkeypatch):
            made = Model()
            def choosy(module, **options):
                return module if module is made else real(module, **options)
            monkeypatch.setattr(torch, "compile", choosy)
            return made

        @compile_contract(shapes=[(3,)], compiles=["model", "other"])
        def test_it(model, other, x):
            other(model(x))
        """,
        "failed",
        "compiled but never called: other",
    ),
    "by nothing, in the test": Case(
        """
        @compile_contract(watch_only=True)
        def test_it(monkeypatch, model):
            monkeypatch.setattr(torch, "compile", lambda function, **options: function)
            torch.compile(model)(torch.ones(3))
        """,
        "failed",
        "nothing was compiled: the test called nothing that is compiled",
    ),
    "by what counts and passes on": Case(
        """
        real = torch.compile

        @pytest.fixture
        def counted(monkeypatch):
            monkeypatch.setattr(torch, "compile", lambda *args, **options: real(*args, **options))

        @compile_contract(shapes=[(3,)])
        def test_it(counted, x):
            return x + 1
        """,
        "passed",
        figures={"graphs": 1, "kinds": ["compile", "hit"]},
    ),
    "for good": Case(
        """
        @compile_contract(shapes=[(3,)], compiles="model")
        def test_it(model, x):
            model(x)
            torch.compile = lambda function, **options: function
        """,
        "passed",
        "left torch.compile = <function test_it.<locals>.<lambda>>",
        {"graphs": 1},
    ),
}

TRACED = {
    f"by {how}": Case(
        f"""
        def inner():
            return None

        def watch(*event):
            inner()
            return watch

        @compile_contract(shapes=[(3,)], compiles="model")
        def test_it(model, x):
            {how}(watch)
            model(x)
        """,
        "passed",
        f"left {how} = <function watch> (was None); put back",
        {"graphs": 1, "kinds": ["compile", "hit"]},
    )
    for how in ("sys.settrace", "sys.setprofile")
}

MONITORED = {
    "by a tool of sys.monitoring": Case(
        """
        def inner():
            return None

        @compile_contract(shapes=[(3,)], compiles="model")
        def test_it(model, x):
            tools = sys.monitoring
            tools.use_tool_id(3, "hostile")
            tools.register_callback(3, tools.events.PY_START, lambda *event: inner())
            tools.set_events(3, tools.events.PY_START)
            try:
                model(x)
            finally:
                tools.set_events(3, 0)
                tools.free_tool_id(3)
        """,
        "passed",
        figures={"graphs": 1, "kinds": ["compile", "hit"]},
    ),
}


@pytest.mark.slow
def test_torch_compile_is_replaced(project: Project) -> None:
    hold_cases(project, REPLACED)


def test_functions_that_trace_are_no_part_of_a_region(project: Project) -> None:
    hold_cases(project, TRACED)


@pytest.mark.skipif("sys.version_info < (3, 12)", reason="sys.monitoring is new in Python 3.12")
def test_a_tool_that_monitors_is_no_part_of_a_region(project: Project) -> None:
    hold_cases(project, MONITORED)


def test_under_a_profiler(project: Project) -> None:
    with cProfile.Profile():
        hold_cases(project, {"a plain contract": REPLACED["by what counts and passes on"]})
    assert sys.getprofile() is None
