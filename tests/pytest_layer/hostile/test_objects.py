"""Objects that refuse to be looked at, and texts that would steer a terminal."""

from __future__ import annotations

import pytest

from pytest_layer.hostile.cases import Case, hold_cases
from pytest_layer.projects import Project

SIZES = 'shapes={"x": "B"}, dims={"B": [3, 4, 5]}'

REFUSES = """
            def __eq__(self, other): raise RuntimeError("eq")
            def __hash__(self): return 1
            def __repr__(self): raise RuntimeError("repr")
            def __len__(self): raise RuntimeError("len")
            def __bool__(self): raise RuntimeError("bool")
"""

REFUSING = {
    "a module": Case(
        f"""
        class Refusing(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.n = 0

            def __getattr__(self, name):
                raise AttributeError("getattr")
            {REFUSES}
            def forward(self, x):
                self.n += 1
                print("break")
                return x * self.n

        @pytest.fixture
        def refusing():
            return Refusing()

        @compile_contract({SIZES}, compiles="refusing", max_recompiles=5)
        def test_it(refusing, x):
            refusing(x)
        """,
        "failed",
        "graph breaks (sites): 1, at most 0 allowed",
        {"breaks": [("forward", "GB0059")], "recompiles": 5},
    ),
    "an argument": Case(
        f"""
        class Refusing:
            n = 0
            def __getattr__(self, name): raise AttributeError("getattr")
            def __iter__(self): raise RuntimeError("iter")
            {REFUSES}

        @pytest.fixture
        def refusing():
            return Refusing()

        @compile_contract({SIZES})
        def test_it(refusing, x):
            y = x * refusing.n
            refusing.n += 1
            return y
        """,
        "failed",
        ", at most 0 allowed",
    ),
    "a tensor": Case(
        """
        class Refusing(torch.Tensor):
            def __repr__(self): raise RuntimeError("repr")
            def __bool__(self): raise RuntimeError("bool")

        @compile_contract(watch_only=True, passes=1)
        def test_it(model):
            compiled = torch.compile(model, backend="eager")
            compiled(torch.ones(3).as_subclass(Refusing))
            compiled(torch.ones(4).as_subclass(Refusing))
        """,
        "failed",
        "recompiles: 1, at most 0 allowed",
        {"kinds": ["compile", "recompile"]},
    ),
    "a tensor that refuses every function": Case(
        """
        class Refusing(torch.Tensor):
            @classmethod
            def __torch_function__(cls, function, types, args=(), kwargs=None):
                raise RuntimeError("no " + function.__name__)

        @compile_contract(watch_only=True, passes=1)
        def test_it(model):
            compiled = torch.compile(model, backend="eager")
            with pytest.raises(Exception):
                compiled(torch.ones(3).as_subclass(Refusing))
            compiled(torch.ones(3))
        """,
        "failed",
        figures={"graphs": 1, "kinds": ["error", "compile"]},
    ),
}

STEERS = "\\x1b[31m\\x1b]0;title\\x07\\x00\\u202e\\udc80"

STEERING = {
    "a reason of torch": Case(
        f"""
        @compile_contract(shapes=[(3,)])
        def test_it(x):
            y = x + 1
            torch._dynamo.graph_break("{STEERS}")
            return y * 2
        """,
        "failed",
    ),
    "values that a guard compares": Case(
        f"""
        @compile_contract(values={{"s": ["{STEERS}", "b" * 5000]}}, shapes={{"x": (3,)}})
        def test_it(x, s):
            return x + 1 if s.startswith("b") else x + 2
        """,
        "failed",
        "recompiles: 1, at most 0 allowed",
    ),
    "a setting": Case(
        f"""
        @compile_contract(shapes=[(3,)], compiles="model")
        def test_it(model, x):
            model(x)
            dynamo.debug_dir_root = "{STEERS}"
        """,
        "passed",
        "debug_dir_root = ",
    ),
    "a long name": Case(
        """
        @pytest.mark.parametrize("p", [1], ids=["l" * 500])
        @compile_contract(shapes={"x": (3,)})
        def test_it_(x, p):
            print("break")
            return x + p

        @compile_contract(shapes=[(3,)])
        def test_it(x):
            return x + 1
        """,
        "passed",
    ),
}


@pytest.mark.slow
def test_objects_that_refuse(project: Project) -> None:
    hold_cases(project, REFUSING)


@pytest.mark.slow
def test_texts_that_steer_a_terminal_are_escaped(project: Project) -> None:
    result = hold_cases(project, STEERING, "-v")
    text = result.stdout.str()
    assert not {char for char in text if not char.isprintable()} - {"\n"}
